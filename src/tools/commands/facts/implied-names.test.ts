import { expect, test } from 'vitest'
import { unnamedFiles } from './implied-names.ts'

const filesOf = (command: string, depth = 0): readonly string[] =>
  unnamedFiles(
    command.split(' ').map((word) => [word]),
    depth,
  )

const code = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts']
const data = ['', '.json', '.yml', '.yaml']
const configs = (name: string): string[] => code.map((suffix) => `${name}.${suffix}`)
const settings = (name: string): string[] => [
  ...configs(name),
  ...data.map((suffix) => name + suffix),
]

// Rules: product.md 14
test.each([
  ['vite build', configs('vite.config')],
  ['npx vitest run', ['package.json', ...configs('vite.config'), ...configs('vitest.config')]],
  ['npx jest', ['package.json', 'jest.config.json', ...configs('jest.config')]],
  ['jest', [...configs('babel.config'), ...settings('.babelrc')]],
  ['npx eslint .', [...configs('eslint.config'), ...settings('.eslintrc')]],
  ['npx playwright test', configs('playwright.config')],
  ['webpack --mode production', [...configs('webpack.config'), ...configs('postcss.config')]],
  ['rollup -c', configs('rollup.config')],
  ['gulp build', configs('gulpfile')],
  ['grunt', [...configs('Gruntfile'), 'Gruntfile.coffee']],
  ['next build', [...configs('next.config'), ...configs('postcss.config')]],
  ['tsc -b', ['tsconfig.json']],
  ['prettier --check .', [...configs('prettier.config'), ...settings('.prettierrc')]],
  ['npm run build', ['package.json']],
  ['make all', ['GNUmakefile', 'makefile', 'Makefile']],
  ['cargo test', ['Cargo.toml', 'build.rs', '.cargo/config.toml']],
  ['go generate ./...', ['go.mod', 'go.work']],
  // Whatever names the tool.
  ['npx vite@7 build', configs('vite.config')],
  ['npx prettier@3.1 x', ['.prettierrc.toml', '.prettierrc.json5', 'prettier.config.toml']],
  ['npx --yes eslint@latest .', configs('eslint.config')],
  ['pnpm exec eslint .', configs('eslint.config')],
  ['bunx vitest', configs('vitest.config')],
  ['bun x vitest', configs('vitest.config')],
  ['env CI=1 timeout 60 npx jest', configs('jest.config')],
  ['node node_modules/.bin/jest', configs('jest.config')],
  ['node node_modules/jest/bin/jest.js', configs('jest.config')],
  ['node_modules/.bin/gulp', configs('gulpfile')],
  ['./node_modules/webpack/bin/webpack.js', configs('webpack.config')],
  ['npx @playwright/test test', configs('playwright.config')],
  ['pnpm dlx @tailwindcss/cli@4.1 -i a.css', configs('tailwind.config')],
  ['npx --yes @biomejs/biome check .', ['biome.json', 'biome.jsonc']],
  ['node node_modules/@playwright/test/cli.js test', configs('playwright.config')],
  ['node ./node_modules/@angular/cli/bin/ng.js build', ['angular.json']],
])('an approval of %s rests on the files that it begins with', (command, files) => {
  expect(filesOf(command)).toEqual(expect.arrayContaining(files))
  expect(filesOf(command, 1)).toEqual(expect.arrayContaining([files[0]]))
})

test.each(['cat eslint.config.js', 'echo vite', 'git status', 'grep -r jest src'])(
  'one of %s rests on no file that it does not name',
  (command) => {
    expect(filesOf(command)).toEqual([])
  },
)

test('a tool looks in the folders above and in those that its words name', () => {
  expect(filesOf('eslint packages/a/x.js', 1)).toEqual(
    expect.arrayContaining(['packages/a/.eslintrc.cjs', 'packages/.eslintrc', '../.eslintrc.json']),
  )
})
