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

/** The same, for files that it also reads in the folders above these. */
const readAbove = `
  just: justfile Justfile .justfile
  task: Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml
  mise: mise.toml .mise.toml
  bazel bazelisk: MODULE.bazel WORKSPACE WORKSPACE.bazel .bazelrc
  invoke inv: tasks.py
  fab: fabfile.py
  vite vitest: vite.config.ts vite.config.mts vite.config.js vite.config.mjs
  vitest: vitest.config.ts vitest.config.mts vitest.config.js vitest.config.mjs
  jest: jest.config.js jest.config.mjs jest.config.cjs jest.config.ts jest.config.json
  mocha: .mocharc.js .mocharc.cjs .mocharc.mjs .mocharc.json .mocharc.yml .mocharc.yaml
  eslint: eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts
  playwright: playwright.config.ts playwright.config.mts playwright.config.js
  rake: Rakefile rakefile
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
    for (const program of programs.trim().split(' ')) {
      files.set(program, [...(files.get(program) ?? []), ...names.trim().split(' ')])
    }
  }
  return files
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
  const names = words.map((texts) => bareName(texts[0] ?? ''))
  const isWrapped = programNamed(names[0] ?? '')?.runs === 'command'
  const isProgram = (_: string, at: number): boolean =>
    at === 0 || isWrapped || (pythons.has(names[0] ?? '') && isModuleOption(words[at - 1]))
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
