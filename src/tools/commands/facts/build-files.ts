/** Programs, and the files that each of them reads in the folder where it works. */
const readHere = `
  make gmake: GNUmakefile makefile Makefile
  tox: tox.ini tox.toml pyproject.toml setup.cfg setup.py
  nox: noxfile.py pyproject.toml
  ninja: build.ninja
  rspec: .rspec spec/spec_helper.rb
  mix: mix.exs`

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
export const buildFiles = {
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
