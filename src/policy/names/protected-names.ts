import { foldPath } from './fold-name.ts'
import { words } from './words.ts'

/** Why a name is protected, in words for people, and the folded names. */
interface Group {
  readonly what: string
  readonly names: readonly string[]
}

const groups: readonly Group[] = [
  {
    what: 'version control',
    names: words(`
      .git git~1 .gitmodules .gitattributes .gitconfig .githooks .lfsconfig .husky .overcommit.yml
      captainhook.json prek.toml lefthook.yml lefthook.yaml lefthook.toml lefthook.json
      lefthook.jsonc lefthook-local.yml lefthook-local.yaml lefthook-local.toml
      lefthook-local.json lefthook-local.jsonc simple-git-hooks.js simple-git-hooks.cjs
      simple-git-hooks.mjs simple-git-hooks.json .hg .hgrc .svn .jj`),
  },
  {
    what: 'shell start-up file',
    names: words(`
      .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc
      .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .shrc .cshrc .tcshrc .login
      .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .direnvrc .ssh
      .gnupg .screenrc .tmux.conf .xonshrc .irbrc .pryrc
      .rprofile .renviron .octaverc .ghci .iex.exs .ocamlinit`),
  },
  {
    what: 'package manager configuration',
    names: words(`
      .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pypirc .netrc .cargo .bundle`),
  },
  { what: 'debugger configuration', names: words('.gdbinit .lldbinit .pdbrc .rdbgrc .byebugrc') },
  {
    what: 'editor configuration',
    names: words(`
      .vscode .vscode-server .idea .fleet .zed .devcontainer .devcontainer.json .vim .vimrc
      .gvimrc .ideavimrc .exrc .nvimrc .nvim.lua .emacs .emacs.d .dir-locals.el .dir-locals-2.el
      .editorconfig .nanorc .helix .gitpod.yml .idx`),
  },
  {
    what: 'agent configuration',
    names: words(`
      .claude .claude.json .claude-plugin claude.md claude.local.md agents.md agents.override.md
      gemini.md .cursor .cursorrules .cursorignore .windsurf .windsurfrules .codex .gemini .continue
      .opencode opencode.json opencode.jsonc .copilot .roo .roorules .roomodes .cline .clinerules
      .kilo .kilocode .kilocodemodes .kiro .agents .agent .mcp.json .goose .goosehints .junie
      .amazonq .qwen .crush crush.json .crush.json .trae .qoder .augment .augment-guidelines
      .factory .openhands .warp .rules`),
  },
  {
    what: 'continuous integration',
    names: words(`
      .circleci .buildkite azure-pipelines.yml azure-pipelines.yaml .vsts-ci.yml
      bitbucket-pipelines.yml jenkinsfile appveyor.yml .ci .semaphore .teamcity .tekton .builds
      .build.yml .zuul.yaml .zuul.d zuul.yaml zuul.d cloudbuild.yaml cloudbuild.yml cloudbuild.json
      buildspec.yml buildspec.yaml`),
  },
]

/** Names that count only below a certain folder. */
const nested: readonly Group[] = [
  // Yarn and editors run files of these; other folders of `.yarn` contain packages and state.
  {
    what: 'package manager configuration',
    names: words('.yarn/releases .yarn/plugins .yarn/sdks'),
  },
  { what: 'continuous integration', names: words('.github/workflows .github/actions') },
  { what: 'continuous integration', names: words('.gitea/workflows .forgejo/workflows') },
  {
    what: 'agent configuration',
    names: words(`
      .github/copilot-instructions.md .github/instructions .github/prompts
      .github/agents .github/chatmodes .github/hooks .github/skills .github/copilot
      .github/mcp.json`),
  },
  {
    what: 'shell start-up file',
    names: words(`
      .config/fish .config/git .config/nvim .config/autostart .config/systemd
      .config/environment.d .config/nushell`),
  },
]

/** Instructions of agents in the workspace's root; elsewhere a document may have such a name. */
const rootInstructions = new Set(words('crush.md qwen.md warp.md'))

const whatOf = new Map(groups.flatMap((group) => group.names.map((name) => [name, group.what])))
const whatOfNested = new Map(
  nested.flatMap((group) => group.names.map((name) => [name, group.what])),
)

/** Beginnings and ends of names. */
const prefixes: readonly Group[] = [
  { what: 'environment file', names: ['.env'] },
  { what: 'agent configuration', names: ['.aider'] },
  { what: 'version control', names: words('.huskyrc .pre-commit- .simple-git-hooks .lefthook') },
  {
    what: 'continuous integration',
    names: words('.gitlab-ci. .travis. .drone. .appveyor. .woodpecker .cirrus. .azure-pipelines'),
  },
]
const suffixes: readonly Group[] = [
  { what: 'editor configuration', names: ['.code-workspace', '.sublime-project'] },
]

/** The protected name that a path contains at any depth, folded, and its kind. */
export interface ProtectedName {
  readonly name: string
  readonly what: string
}

/**
 * Whether creating, changing or renaming this path is refused unless its zone lists it (security.md
 * 8). Compared after NFKC, case folding and a map of look-alike letters.
 */
export function protectedName(path: string): ProtectedName | null {
  const components = foldPath(path)
  const [first = ''] = components
  if (components.length === 1 && rootInstructions.has(first)) {
    return { name: first, what: 'agent configuration' }
  }
  for (const [index, name] of components.entries()) {
    const what =
      whatOf.get(name) ??
      prefixes.find(({ names }) => names.some((prefix) => name.startsWith(prefix)))?.what ??
      suffixes.find(({ names }) => names.some((suffix) => name.endsWith(suffix)))?.what
    if (what !== undefined) return { name, what }
    const pair = `${name}/${components[index + 1] ?? ''}`
    const whatOfPair = whatOfNested.get(pair)
    if (whatOfPair !== undefined) return { name: pair, what: whatOfPair }
  }
  return null
}
