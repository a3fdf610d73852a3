import type { DefaultTheme } from 'vitepress';

/** The labels of the theme in Chinese. */
export const LABELS: DefaultTheme.Config = {
  outline: { level: [2, 3], label: '本页目录' },
  docFooter: { prev: '上一页', next: '下一页' },
  darkModeSwitchLabel: '外观',
  lightModeSwitchTitle: '切换到浅色模式',
  darkModeSwitchTitle: '切换到深色模式',
  sidebarMenuLabel: '目录',
  returnToTopLabel: '返回顶部',
  langMenuLabel: '切换语言',
  skipToContentLabel: '跳到正文',
  notFound: {
    title: '页面不存在',
    quote: '',
    linkLabel: '返回首页',
    linkText: '返回首页',
  },
};

/** The labels of the search in Chinese. */
export const SEARCH: Partial<DefaultTheme.LocalSearchOptions> = {
  translations: {
    button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
    modal: {
      displayDetails: '显示详情',
      resetButtonTitle: '清除',
      backButtonTitle: '关闭',
      noResultsText: '没有结果：',
      footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
    },
  },
};
