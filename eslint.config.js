import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Packages that only one part of the tree may load; `import type` is allowed everywhere. */
const confined = (names, why) => ({
  group: names,
  allowTypeImports: true,
  message: why,
});
const SDK = confined(['@alicloud/*'], 'the cloud SDK is loaded only in src/alibaba');
const CLIENT_NODE = confined(['@kubernetes/client-node'], 'client-node is loaded only in src/kubernetes and tests');
const FASTIFY = confined(['fastify'], 'fastify is loaded only in webhook, src/base/probes.ts and src/local/simulator');
const restrict = (...patterns) => ({ '@typescript-eslint/no-restricted-imports': ['error', { patterns }] });

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.node/', '.sandbox/', '.test-results/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/require-await': 'off',
      'no-control-regex': 'off',
      complexity: ['error', 14],
      'max-depth': ['error', 4],
      'max-params': ['error', 5],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      'no-console': 'error',
      ...restrict(SDK, CLIENT_NODE, FASTIFY),
    },
  },
  { files: ['src/alibaba/**'], rules: restrict(CLIENT_NODE, FASTIFY) },
  { files: ['src/kubernetes/**'], rules: restrict(SDK, FASTIFY) },
  { files: ['webhook/**', 'src/base/probes.ts', 'src/local/simulator/**'], rules: restrict(SDK, CLIENT_NODE) },
  {
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly' } },
  },
);
