import { readFileSync } from 'node:fs';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { LABELS, SEARCH } from './chinese.ts';
import { anchorOf } from './markdown.ts';
import { sidebarOf } from './pages.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  readonly description: string;
};

/** Splits a text into search terms. Chinese text has no spaces, so each pair of characters is a term. The browser runs the source of this function. */
const tokenize = (text: string): string[] =>
  (text.match(/\p{Script=Han}+|[^\s\p{P}\p{Script=Han}]+/gu) ?? []).flatMap((run) =>
    /\p{Script=Han}/u.test(run) && run.length > 2
      ? Array.from({ length: run.length - 1 }, (_, index) => run.slice(index, index + 2))
      : [run],
  );

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3451b2" stroke-width="1.5"><path d="M2 14V7a6 6 0 0 1 12 0v7M6 2v12M10 2v12M2 8h12M2 11.5h12"/></svg>';

const versionOf = (releases: string, link: string): DefaultTheme.NavItem => ({
  text: manifest.version,
  items: [{ text: releases, link }],
});

export default defineConfig({
  title: 'Portcullis',
  description: manifest.description,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  base: process.env['BASE'] ?? '/',
  srcDir: '../dist/pages',
  outDir: '../dist/site',
  cacheDir: '../dist/.vitepress',
  metaChunk: true,
  // Pages enter the search index when they are read. In parallel, their order would differ between builds.
  buildConcurrency: 1,
  vite: { build: { target: 'es2022', chunkSizeWarningLimit: 4000 } },
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => {
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...others) => {
        const { info = '', content = '' } = tokens[index] ?? {};
        if (info.trim() === 'mermaid') return `<Mermaid source="${encodeURIComponent(content)}" />`;
        return fence?.(tokens, index, ...others) ?? '';
      };
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { locales: { zh: SEARCH }, miniSearch: { options: { tokenize } } },
    },
  },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      themeConfig: {
        outline: { level: [2, 3] },
        nav: [
          { text: 'Getting started', link: '/getting-started' },
          { text: 'Tasks', link: '/tasks/install', activeMatch: '^/tasks/' },
          { text: 'Reference', link: '/reference/annotations', activeMatch: '^/reference/' },
          { text: 'Concepts', link: '/concepts/architecture', activeMatch: '^/concepts/' },
          versionOf('Releases', '/changelog'),
        ],
        sidebar: [...sidebarOf('en')],
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      themeConfig: {
        ...LABELS,
        nav: [
          { text: '快速入门', link: '/zh/getting-started' },
          { text: '操作指南', link: '/zh/tasks/install', activeMatch: '^/zh/tasks/' },
          { text: '参考', link: '/zh/reference/annotations', activeMatch: '^/zh/reference/' },
          { text: '概念', link: '/zh/concepts/architecture', activeMatch: '^/zh/concepts/' },
          versionOf('版本', '/zh/changelog'),
        ],
        sidebar: [...sidebarOf('zh')],
      },
    },
  },
});
