import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../policy.ts'
import { inUsualWorkspace, projectWith, usualZones } from '#test/harness/fixtures/judging.ts'

const { judgeBy, root } = inUsualWorkspace()

const open = (zone = '') =>
  projectWith(
    `zones: [{ name: all, root: ., mode: rw, approval: { write: preApproved, delete: preApproved }${zone} }]`,
  )

function write(project: Policy, at: string, projectDir = root()) {
  const call = { tool: 'write_file', input: { path: at, content: '' } }
  return judgeBy(project, call, { projectDir })
}

// Rules: security.md 8
describe('protected names are blocked in every zone, at any depth', () => {
  test.each([
    '.git/config',
    '.git/hooks/pre-commit',
    'deep/er/.git/HEAD',
    '.gitmodules',
    '.gitattributes',
    'src/.gitattributes',
    '.lfsconfig',
    '.bashrc',
    'home/.profile',
    '.env',
    '.env.local',
    'app/.env.production',
    '.npmrc',
    '.cargo/config.toml',
    'crates/a/.cargo/config',
    '.bundle/config',
    '.yarnrc.yml',
    '.yarn/releases/yarn-4.9.1.cjs',
    'app/.yarn/plugins/@yarnpkg/plugin-x.cjs',
    '.Yarn/SDKs/typescript/bin/tsc',
    '.gdbinit',
    '.lldbinit',
    '.pre-commit-config.yaml',
    'lefthook.yml',
    'LeftHook.YAML',
    'lefthook-local.yml',
    '.lefthook/pre-push/check.sh',
    'lefthook-local.toml',
    'prek.toml',
    'simple-git-hooks.json',
    '.iex.exs',
    '.ocamlinit',
    '.Renviron',
    'WARP.md',
    'QWEN.md',
    'CRUSH.md',
    '.simple-git-hooks.cjs',
    '.pdbrc',
    '.Rprofile',
    '.nvim.lua',
    'shop.sublime-project',
    '.opencode/plugins/x.js',
    'opencode.json',
    'AGENTS.override.md',
    '.github/hooks/x.json',
    '.github/skills/x/SKILL.md',
    '.qwen/settings.json',
    '.tekton/pull.yaml',
    '.woodpecker.yaml',
    '.azure-pipelines/build.yml',
    '.husky/pre-commit',
    '.envrc',
    '.vscode/settings.json',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.devcontainer/devcontainer.json',
    '.claude/settings.json',
    'CLAUDE.md',
    '.cursor/rules/a.md',
    '.mcp.json',
    '.github/workflows/ci.yml',
    'packages/a/.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    '.GIT/config',
    '.Git/config',
    '.gitHub/Workflows/ci.yml',
    '.ＧＩＴ/config',
    '.gıt/config',
    '.gіt/config',
    '.ɡit/config',
    'app/.ＥＮＶ',
    '.еnv',
    '.εnv',
    '.ñpmrc',
  ])('%s', async (at) => {
    const { verdict, rule, risk } = await write(open(), at)
    expect({ verdict, risk }).toEqual({ verdict: 'blocked', risk: 'high' })
    expect(rule?.id).toMatch(/^protected:/)
  })

  test.each([
    'git/config',
    'notes.env.md',
    'environment',
    'github/workflows/x.yml',
    '.github/ISSUE.md',
    'gitignore',
    '.gitignore',
    'src/profile.ts',
    'Cargo.toml',
    'cargo/config.toml',
    'bundle/config',
    '.yarn/cache/left-pad.zip',
    '.yarn/install-state.gz',
    'yarn/releases/yarn.cjs',
    'docs/lefthook.md',
    'docs/simple-git-hooks.md',
    'docs/lefthook-local.md',
    'docs/warp.md',
    'docs/qwen.md',
    'docs/crush.md',
    'gdbinit',
    'src/hooks/use-name.ts',
    'opencode.md',
    'docs/azure-pipelines.md',
    '.github/dependabot.yml',
    'simple-git-hooks',
  ])('but not %s', async (at) => {
    expect(await write(open(), at)).toMatchObject({ verdict: 'preApproved' })
  })

  test('deleting and renaming them is refused like changing them', async () => {
    const remove = { tool: 'delete_file', input: { path: '.env' } }
    expect(await judgeBy(open(), remove)).toMatchObject({ verdict: 'blocked' })
    for (const input of [
      { from: '.env', to: 'env.txt' },
      { from: 'src/main.ts', to: '.npmrc' },
    ]) {
      expect(await judgeBy(open(), { tool: 'move_file', input })).toMatchObject({
        verdict: 'blocked',
      })
    }
  })
})

// Rules: security.md 8
describe('a zone that lists a protected name', () => {
  test('makes it ask at high risk, whatever else the zone allows', async () => {
    const project = open(', protected: [".github/**"]')
    expect(await write(project, '.github/workflows/ci.yml')).toMatchObject({
      verdict: 'ask',
      risk: 'high',
      rule: { id: 'protected:.github/workflows' },
      routing: { edits: 'revise' },
    })
    expect(await write(project, '.env')).toMatchObject({ verdict: 'blocked' })
  })

  test('cannot make milder what the zone itself blocks or cannot do', async () => {
    const blocked = projectWith(
      'zones: [{ name: all, root: ., mode: rw, approval: { write: blocked }, protected: [".github/**"] }]',
    )
    expect(await write(blocked, '.github/workflows/ci.yml')).toMatchObject({ verdict: 'blocked' })
    const readOnly = projectWith(
      'zones: [{ name: all, root: ., mode: ro, protected: [".github/**"] }]',
    )
    expect(await write(readOnly, '.github/workflows/ci.yml')).toMatchObject({ verdict: 'error' })
  })

  test('counts for its own paths only: a deeper zone decides for its own', async () => {
    const project = projectWith(`zones:
  - { name: all, root: ., mode: rw, protected: ["**"] }
  - { name: scratch, root: scratch, mode: rw, approval: { write: preApproved } }`)
    expect(await write(project, 'scratch/.env')).toMatchObject({ verdict: 'blocked' })
  })
})

// Rules: security.md 8
describe('no agent may write Countersign’s own files', () => {
  const everything = () => open(', protected: ["**"]')

  test.each([
    'countersign.yaml',
    'Countersign.YAML',
    'countersign․yaml',
    'workers/scribe.md',
    'workers/new.md',
    'WORKERS/new.md',
    'tools/slack.ts',
    'tools/lib/a.ts',
    'scripts/demo.yaml',
    'node_modules/zod/index.js',
    'Node_Modules/new/index.js',
    'package.json',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'bun.lock',
  ])('%s of the project folder', async (at) => {
    expect(await write(everything(), at)).toMatchObject({
      verdict: 'blocked',
      rule: { text: expect.stringContaining("Countersign's own files") },
    })
  })

  test.each(['app/package.json', 'app/node_modules/zod/index.js', 'app/yarn.lock'])(
    'but %s is like any other file',
    async (at) => {
      expect(await write(open(), at)).toMatchObject({ verdict: 'preApproved' })
    },
  )

  // Rules: security.md 36
  test('nor the packages that tools load, in whatever folder', async () => {
    const project = projectWith(
      'zones: [{ name: all, root: ., mode: rw, approval: { write: preApproved } }]',
      'defaults: { queue: platform }\nworkspaces: { default: { root: ../.. } }\n',
    )
    const recorded = ['../../node_modules/pack/', '../../libs/own/', '../package.json']
    const toolFiles = recorded.map((path) => ({ path, hash: 'sha256:00' }))
    const loading = { ...project, toolFiles }
    const projectDir = path.join(root(), 'ops/agents')
    for (const [at, verdict] of [
      ['node_modules/pack/index.js', 'blocked'],
      ['libs/own/src/deep/a.ts', 'blocked'],
      ['ops/package.json', 'blocked'],
      ['node_modules/package/index.js', 'preApproved'],
      ['libs/other/a.ts', 'preApproved'],
      ['package.json', 'preApproved'],
      ['ops/package.json/x', 'preApproved'],
    ] as const) {
      expect(await write(loading, at, projectDir), at).toMatchObject({ verdict })
    }
  })

  test('wherever the workspace lies relative to the project folder', async () => {
    const around = (folder: string) =>
      projectWith(
        'zones: [{ name: all, root: ., mode: rw, approval: { write: preApproved } }]',
        `defaults: { queue: platform }\nworkspaces: { default: { root: ${folder} } }\n`,
      )
    const projectDir = path.join(root(), 'ops/agents')
    for (const folder of ['../..', root()]) {
      expect(await write(around(folder), 'ops/agents/workers/a.md', projectDir)).toMatchObject({
        verdict: 'blocked',
      })
      expect(await write(around(folder), 'workers/a.md', projectDir)).toMatchObject({
        verdict: 'preApproved',
      })
    }
    const below = around('workers')
    expect(await write(below, 'a.md', path.dirname(root()))).toMatchObject({
      verdict: 'blocked',
    })
  })
})

// Rules: security.md 8
describe('reading key and environment files', () => {
  const read = (at: string, project = projectWith(usualZones)) =>
    judgeBy(project, { tool: 'read_file', input: { path: at } })

  test.each(['.env', 'keys/server.pem'])('%s asks, at high risk', async (at) => {
    expect(await read(at)).toMatchObject({
      verdict: 'ask',
      risk: 'high',
      rule: { id: expect.stringMatching(/^secret:/) },
    })
  })

  test('does not change a zone that blocks reading, or the verdict on other files', async () => {
    const blocked = projectWith(
      'zones: [{ name: all, root: ., mode: ro, approval: { read: blocked } }]',
    )
    expect(await read('.env', blocked)).toMatchObject({ verdict: 'blocked' })
    expect(await read('src/main.ts')).toMatchObject({ verdict: 'preApproved' })
  })
})
