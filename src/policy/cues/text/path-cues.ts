import { oneLine } from '#domain/text/one-line.ts'
import type { CueId, CueSource } from '#domain/policy/cues.ts'
import { wordSet } from '#domain/text/word-set.ts'
import { hasWord, moneyWords, productionWords, wordsOf } from './words.ts'

const signInWords = wordSet(`
  auth login signin logon logout session sessions oauth oauth2 oidc saml sso password passwords
  passwd passkey passkeys webauthn mfa totp 2fa jwt sudoers rbac`)
const signInNames = wordSet('authorized_keys sshd_config .htpasswd .htaccess shadow pam.conf')

const ciFolders = ['.github/workflows/', '.github/actions/', '.circleci/', '.buildkite/', '.ci/']
const moreCiFolders = ['.woodpecker/', '.husky/', '.tekton/', '.gitea/workflows/', '.gitlab/ci/']
const ciNames = wordSet(`
  .gitlab-ci.yml .gitlab-ci.yaml jenkinsfile azure-pipelines.yml .drone.yml .travis.yml
  bitbucket-pipelines.yml cloudbuild.yaml cloudbuild.yml appveyor.yml .pre-commit-config.yaml
  buildspec.yml codefresh.yml .woodpecker.yml action.yml action.yaml`)

const migrationFolders = wordSet('migrations migration migrate alembic flyway liquibase')
const migrationNames = wordSet('schema.sql schema.rb structure.sql schema.prisma')

const dependencyNames = wordSet(`
  package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb
  pipfile pipfile.lock poetry.lock pyproject.toml uv.lock setup.py setup.cfg cargo.toml cargo.lock
  go.mod go.sum gemfile gemfile.lock composer.json composer.lock build.gradle build.gradle.kts
  pom.xml mix.exs mix.lock package.swift podfile podfile.lock .npmrc .gitmodules deno.lock
  gradle.lockfile environment.yml flake.lock`)

/** Cues from the name of a changed path alone. Pure. */
export function pathCues(path: string): readonly CueSource[] {
  return kindsOf(path).map(([id, what]) => ({
    id,
    text: `${what}: ${oneLine(path, 160)}`,
    file: path,
  }))
}

function kindsOf(path: string): readonly (readonly [CueId, string])[] {
  const lower = path.toLowerCase()
  const name = lower.slice(lower.lastIndexOf('/') + 1)
  const folders = lower.split('/').slice(0, -1)
  const below = (folder: string): boolean =>
    lower.startsWith(folder) || lower.includes(`/${folder}`)
  const kinds: (readonly [CueId, string])[] = []
  if (signInNames.has(name) || hasWord(path, signInWords) || folders.includes('pam.d')) {
    kinds.push(['touches_sign_in', 'Changes how people or programs sign in'])
  }
  if (ciNames.has(name) || [...ciFolders, ...moreCiFolders].some(below)) {
    kinds.push(['touches_ci', 'Changes what continuous integration runs'])
  }
  const migrates = folders.some((folder) => wordsOf(folder).some((w) => migrationFolders.has(w)))
  if (migrates || migrationNames.has(name) || /^v\d{1,12}__\S{0,200}\.sql$/.test(name)) {
    kinds.push(['touches_migrations', 'Changes how the database is migrated'])
  }
  const isRequirements = /^requirements[\w.-]{0,40}\.(?:txt|in)$/.test(name)
  if (dependencyNames.has(name) || isRequirements || /\.(?:cs|fs|vb)proj$/.test(name)) {
    kinds.push(['touches_dependencies', 'Changes what the project depends on'])
  }
  if (hasWord(path, moneyWords)) kinds.push(['money', 'Is about money, by its name'])
  if (hasWord(path, productionWords)) {
    kinds.push(['production', 'Is about production, by its name'])
  }
  return kinds
}
