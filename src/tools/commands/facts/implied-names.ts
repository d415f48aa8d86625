import { wordSet } from '#domain/text/word-set.ts'
import { programNamed } from '#policy/shell/programs/registry.ts'
import { bareName } from './file-role.ts'
import { maxPlaces, tooMany, type WordTexts } from './named-words.ts'

/** Programs, and the files that each of them reads in the folder where it works. */
const readHere = `
  make gmake: GNUmakefile makefile Makefile
  tox: tox.ini tox.toml pyproject.toml setup.cfg setup.py
  nox: noxfile.py pyproject.toml
  ninja: build.ninja
  rspec: .rspec spec/spec_helper.rb
  mix: mix.exs
  scons: SConstruct Sconstruct sconstruct
  sbt: build.sbt project/build.properties project/plugins.sbt
  phpunit: phpunit.xml phpunit.dist.xml phpunit.xml.dist
  gunicorn: gunicorn.conf.py`

/** The same, for files that it also reads in folders that its words name. */
const readNamed = `
  pip pip3 hatch: pyproject.toml setup.py setup.cfg
  ant: build.xml
  cmake ctest: CMakeLists.txt CMakePresets.json CMakeUserPresets.json
  meson: meson.build
  composer: composer.json
  docker podman buildah: Dockerfile Containerfile .dockerignore compose.yaml compose.yml
  docker podman docker-compose: docker-compose.yaml docker-compose.yml compose.override.yaml
  docker podman docker-compose: compose.override.yml docker-compose.override.yml
  docker-compose: compose.yaml compose.yml docker-compose.override.yaml`

/**
 * The same, for files that it also reads in the folders above these. `.*` stands for each suffix of
 * JavaScript and TypeScript, and `rc.*` also for none, JSON and YAML: `.babelrc`, `.babelrc.json`.
 */
const readAbove = `
  just: justfile Justfile .justfile
  task: Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml
  mise: mise.toml .mise.toml
  bazel bazelisk: MODULE.bazel WORKSPACE WORKSPACE.bazel .bazelrc
  invoke inv: tasks.py
  fab: fabfile.py
  vite vitest: vite.config.*
  vitest: vitest.config.* vitest.workspace.* vitest.workspace.json
  jest: jest.config.* jest.config.json
  babel jest next webpack webpack-cli rollup gulp: babel.config.* babel.config.json .babelrc.*
  vite vitest next nuxt astro webpack webpack-cli postcss: postcss.config.* .postcssrc.*
  vite next nuxt astro postcss tailwind tailwindcss: tailwind.config.*
  mocha: .mocharc.* .mocharc.jsonc
  ava: ava.config.*
  karma: karma.conf.*
  wdio: wdio.conf.*
  cypress: cypress.config.* cypress.json
  playwright: playwright.config.*
  eslint: eslint.config.* .eslintrc.*
  biome: biome.json biome.jsonc
  redocly: redocly.yaml redocly.yml
  spectral: .spectral.yaml .spectral.yml .spectral.json .spectral.js
  graphql-codegen: codegen.* codegen.yml codegen.yaml codegen.json
  nest: nest-cli.json tsconfig.json
  cap: capacitor.config.* capacitor.config.json
  prettier: prettier.config.* prettier.config.toml .prettierrc.* .prettierrc.toml .prettierrc.json5
  stylelint: stylelint.config.* .stylelintrc.*
  commitlint: commitlint.config.* .commitlintrc.*
  lint-staged: lint-staged.config.* .lintstagedrc.*
  semantic-release: release.config.* .releaserc.*
  webpack webpack-cli: webpack.config.* webpackfile.*
  rspack: rspack.config.*
  rsbuild: rsbuild.config.*
  rollup: rollup.config.*
  tsup: tsup.config.*
  tsdown: tsdown.config.*
  parcel: .parcelrc
  gulp: gulpfile.* Gulpfile.js
  grunt: gruntfile.* Gruntfile.* gruntfile.coffee Gruntfile.coffee
  next: next.config.*
  nuxt nuxi: nuxt.config.*
  astro: astro.config.*
  remix react-router: remix.config.* react-router.config.* vite.config.*
  svelte-kit vite vitest: svelte.config.*
  vue-cli-service: vue.config.*
  ng: angular.json
  nx: nx.json project.json
  turbo: turbo.json
  knex: knexfile.*
  drizzle-kit: drizzle.config.*
  prisma: prisma.config.*
  expo metro react-native: metro.config.* app.config.* react-native.config.*
  tsc ts-node tsx: tsconfig.json
  nodemon: nodemon.json
  pre-commit prek: .pre-commit-config.yaml
  lefthook: lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml
  doit: dodo.py
  rubocop: .rubocop.yml
  rake: Rakefile rakefile Rakefile.rb rakefile.rb
  npm npx pnpm pnpx yarn bun bunx: package.json
  yarn: .yarnrc.yml .yarnrc
  pnpm pnpx: .pnpmfile.cjs pnpm-workspace.yaml
  bun bunx: bunfig.toml
  deno: deno.json deno.jsonc
  pytest py.test: conftest.py pytest.ini .pytest.ini pyproject.toml tox.ini setup.cfg
  uv uvx poetry pdm: pyproject.toml
  cargo: Cargo.toml build.rs .cargo/config.toml .cargo/config rust-toolchain.toml rust-toolchain
  go: go.mod go.work
  gradle gradlew: build.gradle build.gradle.kts settings.gradle settings.gradle.kts
  gradle gradlew: gradle.properties gradle/wrapper/gradle-wrapper.properties
  gradlew: gradle/wrapper/gradle-wrapper.jar
  mvn mvnw: pom.xml .mvn/jvm.config .mvn/maven.config .mvn/extensions.xml
  mvnw: .mvn/wrapper/maven-wrapper.properties .mvn/wrapper/maven-wrapper.jar
  dotnet msbuild: global.json Directory.Build.props Directory.Build.targets
  bundle bundler: Gemfile .bundle/config`

const codeSuffixes = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((suffix) => `.${suffix}`)
const dataSuffixes = ['', '.json', '.yml', '.yaml']

/**
 * Files that build tools read without a word that names them, by the name of the tool: in the
 * folder where it works, in those that its words name too, and in those above them too. Key files
 * such as `.npmrc` are not among them: the sandbox covers these, and would show them to a command
 * for which they are listed.
 */
const buildFiles = {
  here: filesByProgram(readHere),
  named: filesByProgram(readNamed),
  above: filesByProgram(readAbove),
}

function filesByProgram(lines: string): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>()
  for (const line of lines.trim().split('\n')) {
    const [programs = '', names = ''] = line.split(':')
    const written = names.trim().split(' ').flatMap(withSuffixes)
    for (const program of programs.trim().split(' ')) {
      files.set(program, [...new Set([...(files.get(program) ?? []), ...written])])
    }
  }
  return files
}

function withSuffixes(name: string): readonly string[] {
  if (!name.endsWith('.*')) return [name]
  const start = name.slice(0, -2)
  const suffixes = start.endsWith('rc') ? [...codeSuffixes, ...dataSuffixes] : codeSuffixes
  return suffixes.map((suffix) => start + suffix)
}

/** The programs of packages in a scope, whose name is not that of the program. */
const programsOfScopes: ReadonlyMap<string, string> = new Map([
  ['@angular/cli', 'ng'],
  ['@babel/cli', 'babel'],
  ['@biomejs/biome', 'biome'],
  ['@capacitor/cli', 'cap'],
  ['@commitlint/cli', 'commitlint'],
  ['@graphql-codegen/cli', 'graphql-codegen'],
  ['@nestjs/cli', 'nest'],
  ['@playwright/test', 'playwright'],
  ['@react-router/dev', 'react-router'],
  ['@redocly/cli', 'redocly'],
  ['@remix-run/dev', 'remix'],
  ['@rsbuild/core', 'rsbuild'],
  ['@rspack/cli', 'rspack'],
  ['@stoplight/spectral-cli', 'spectral'],
  ['@sveltejs/kit', 'svelte-kit'],
  ['@tailwindcss/cli', 'tailwindcss'],
  ['@vue/cli-service', 'vue-cli-service'],
  ['@wdio/cli', 'wdio'],
])

/**
 * The program that a package runner is asked for: `vite` for `vite@7` and `vite.js`, `ng` for
 * `@angular/cli@20` and for a file of that package.
 */
function packageName(word: string): string {
  const [scoped = ''] = /(?<![^/])@[^/@]+\/[^/@]+/.exec(word) ?? []
  const ofScope = programsOfScopes.get(scoped)
  if (ofScope !== undefined) return ofScope
  const last = bareName(word)
  const version = last.indexOf('@', 1)
  const name = version === -1 ? last : last.slice(0, version)
  return programNamed(name) === undefined ? name.replace(/\.[cm]?js$/, '') : name
}

const nodes = wordSet('node nodejs bun tsx ts-node')
const pythons = wordSet('python python2 python3 pypy pypy3')

/**
 * For each word of a command, other names under which an interpreter before it looks for the file:
 * `node run` may run `run.js`, `python3 -m a.b` `a/b.py`, and both a file in a folder.
 */
export function otherNames(words: WordTexts): readonly (readonly string[])[] {
  let isForNode = false
  let isForPython = false
  return words.map((all, index) => {
    const texts = all.filter((text) => !text.startsWith('-'))
    const names: string[] = []
    if (isForNode) {
      names.push(...texts.flatMap((at) => [`${at}.js`, `${at}/package.json`, `${at}/index.js`]))
    }
    if (isForPython) {
      const isModule = isModuleOption(words[index - 1])
      const places = isModule ? texts.map((name) => name.replaceAll('.', '/')) : texts
      names.push(...places.map((at) => `${at}/__main__.py`))
      if (isModule) names.push(...places.flatMap((at) => [`${at}.py`, `${at}/__init__.py`]))
    }
    const runners = all.map(bareName)
    isForNode ||= runners.some((name) => nodes.has(name))
    isForPython ||= runners.some((name) => pythons.has(name))
    return names
  })
}

/** The word before the name of a module that Python runs. */
function isModuleOption(texts: readonly string[] | undefined): boolean {
  return texts?.some((text) => /^-[A-Za-z]*m$/.test(text)) === true
}

/**
 * Files that the program of a command, or one behind a wrapper, reads without a word for them, in
 * its folder and in those that its words name; some may be twice among them. `depth`: how many
 * folders are above its own. Throws `ToolProblem` for words that may name too many folders.
 */
export function unnamedFiles(words: WordTexts, depth: number): readonly string[] {
  const names = words.map((texts) => packageName(texts[0] ?? ''))
  const [first = ''] = names
  const isWrapped = programNamed(first)?.runs === 'command' || nodes.has(first)
  const isProgram = (_: string, at: number): boolean =>
    at === 0 || isWrapped || (pythons.has(first) && isModuleOption(words[at - 1]))
  const programs = [...new Set(names.filter(isProgram))]
  const isScript =
    programs.some((name) => nodes.has(name)) && names.some((word) => word.startsWith('--run'))
  const filesOf = (files: ReadonlyMap<string, readonly string[]>): string[] =>
    programs.flatMap((name) => files.get(name) ?? [])
  const above = [...filesOf(buildFiles.above), ...(isScript ? ['package.json'] : [])]
  const named = [...filesOf(buildFiles.named), ...above]
  const folders = named.length === 0 ? [] : [...new Set(namedFolders(words.slice(1).flat()))]
  if (folders.length * named.length > maxPlaces) throw tooMany()
  const parents = Array.from({ length: depth }, (_, levels) => '../'.repeat(levels + 1))
  return [
    ...filesOf(buildFiles.here),
    ...['', ...folders].flatMap((folder) => named.map((file) => folder + file)),
    ...parents.flatMap((parent) => above.map((file) => parent + file)),
  ]
}

/** The folders that words may name, each with a slash, and those above them: `tests/a.py::test`. */
function namedFolders(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => {
    const [at = ''] = text.slice(text.indexOf('=') + 1).split('::')
    if (at === '' || at.startsWith('-')) return []
    const whole = `${at}/`
    let end = 0
    return at.split('/').flatMap((part) => {
      end += part.length + 1
      return part === '' ? [] : [whole.slice(0, end)]
    })
  })
}
