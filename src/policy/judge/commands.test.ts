import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  commandTool,
  inUsualWorkspace,
  projectWith,
  usualZones,
} from '#test/harness/fixtures/judging.ts'
import { realPathOf } from '#sandbox/real-path.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import { plainHost } from '../shell/judging.fixture.ts'

const { judgeBy, root } = inUsualWorkspace()
beforeAll(() => {
  mkdirSync(path.join(root(), 'notes/deep'))
  writeFileSync(path.join(root(), 'notes/deep/b.md'), 'b')
  symlinkSync('../notes/a.md', path.join(root(), 'scratch/to-notes'))
  symlinkSync('../secret/s.txt', path.join(root(), 'notes/to-secret.md'))
  symlinkSync('/etc/hostname', path.join(root(), 'notes/to-etc.md'))
})

const host = { ...plainHost, realPath: realPathOf }

const shell = `shell:
  default: ask
  rules:
    - { pattern: git push, approval: blocked, reason: History is shared }
    - { pattern: cat, approval: preApproved, zones: [notes] }
    - { pattern: grep, approval: preApproved, zones: [repo, notes, scratch] }
    - { pattern: ls, approval: preApproved }
    - { pattern: git add, approval: ask, description: Stage files }`

function judgeShell(
  command: string,
  more: Partial<PolicyQuery> & { cwd?: string; front?: string; config?: string } = {},
) {
  const { cwd = '', front = shell, config, ...query } = more
  const project = projectWith(`${usualZones}\n${front}`, config)
  const call = {
    tool: 'shell',
    input: { command, cwd },
    tools: [commandTool('shell'), commandTool('exec')],
  }
  return judgeBy(project, call, { commandHost: host, ...query })
}

// Rules: product.md 1, 2; security.md 2
describe('a command is judged by the worker’s shell rules', () => {
  test('a pre-approved command carries the form in which it runs', async () => {
    expect(await judgeShell('ls -l; ls notes')).toMatchObject({
      verdict: 'preApproved',
      rule: { id: 'shell:ls', source: 'workers/scribe.md:15' },
      printed: { kind: 'shell', script: '/usr/bin/ls -l; /usr/bin/ls notes' },
    })
  })

  test('a block has the reason of its rule, in every mode and with every grant', async () => {
    for (const runMode of ['prompt', 'strict', 'approve_all'] as const) {
      const grant = async () => ({ id: 'g', text: 'granted' })
      expect(await judgeShell('ls; git -C . "push"', { runMode, findGrant: grant })).toMatchObject({
        verdict: 'blocked',
        reason: 'History is shared',
        rule: { id: 'shell:git push' },
        printed: null,
      })
    }
  })

  test('a command that a grant or a mode approves runs exactly as shown', async () => {
    const grant = async () => ({ id: 'g', text: 'granted' })
    for (const more of [{ runMode: 'approve_all' as const }, { findGrant: grant }]) {
      expect(await judgeShell('git add x', more)).toMatchObject({
        verdict: 'preApproved',
        printed: null,
      })
    }
  })

  test('every simple command is a step of the explanation', async () => {
    const { steps } = await judgeShell('ls; git add x > y')
    expect(steps.filter(({ step }) => step === 'command')).toEqual([
      { step: 'command', outcome: 'preApproved', detail: 'ls: shell rule "ls" is pre-approved' },
      {
        step: 'command',
        outcome: 'ask',
        detail: 'git add x: Stage files: shell rule "git add" asks',
      },
      expect.objectContaining({ detail: expect.stringContaining('redirects to something') }),
    ])
  })

  // Rules: security.md 41
  test('a rule, an overlay and routing are about the program that a link leads to', async () => {
    symlinkSync('/usr/bin/env', path.join(root(), 'scratch/tool'))
    const config =
      'defaults: { queue: platform }\noverlays: [{ when: { command: env -i }, approval: blocked }]\n'
    for (const command of ['scratch/tool -i ls', 'nice scratch/tool -i ls']) {
      expect(await judgeShell(command, { config })).toMatchObject({ rule: { id: 'overlay:1' } })
      expect(await judgeShell(command)).toMatchObject({ verdict: 'ask' })
    }
  })

  // Rules: product.md 38
  test('a cue names where a link leads out of the workspace, and no link of the host', async () => {
    symlinkSync('/usr/bin/env', path.join(root(), 'scratch/tool2'))
    symlinkSync('../scratch/run.sh', path.join(root(), 'notes/own'))
    const { cues } = await judgeShell('/bin/sh -c ls\nscratch/tool2 -i ls\nnotes/own\nview x')
    expect(cues).toContainEqual({
      id: 'linked_program',
      text: expect.stringMatching(
        /^scratch\/tool2 is a link that leads out of the workspace: \/.*bin\/env$/,
      ),
      line: 2,
    })
    expect(cues?.filter(({ id }) => id === 'linked_program')).toHaveLength(1)
  })

  test('the tool’s own setting and an overlay make the verdict stricter, and nothing makes it milder', async () => {
    const tools = `${shell}\ntools: { shell: { approval: ask } }`
    expect(await judgeShell('ls', { front: tools })).toMatchObject({ verdict: 'ask' })
    const open = `${shell}\ntools: { shell: { approval: preApproved } }`
    expect(await judgeShell('whoami', { front: open })).toMatchObject({ verdict: 'ask' })
    expect(await judgeShell('git push', { front: open })).toMatchObject({ verdict: 'blocked' })
    const config =
      'defaults: { queue: platform }\noverlays: [{ when: { command: ls -l }, approval: blocked }]\n'
    expect(await judgeShell('ls', { config })).toMatchObject({ verdict: 'preApproved' })
    for (const script of ['ls -l', 'ls -al', 'env ls -l', 'x && l""s . -l', 'bash -c "ls -l"']) {
      expect(await judgeShell(script, { config }), script).toMatchObject({
        verdict: 'blocked',
        rule: { id: 'overlay:1' },
      })
    }
  })
})

// Rules: security.md 40
describe('a zone below the folder of a command', () => {
  const hr = '  - { name: hr, root: ./hr, mode: ro, approval: { read: blocked } }'
  const front = `${hr}\n${shell}`

  test('whose reads ask or are blocked is hidden from a command that rules allow, and stops it not', async () => {
    expect(await judgeShell('ls', { front })).toMatchObject({
      verdict: 'preApproved',
      rule: { id: 'shell:ls' },
      printed: { hides: ['secret', 'hr'] },
    })
  })

  test('whose reads ask stops no command whose rule names it, whatever another zone blocks', async () => {
    const names = front.replace(
      'pattern: ls,',
      'pattern: ls, zones: [repo, notes, scratch, secret, hr],',
    )
    for (const [command, cwd] of [
      ['ls', ''],
      ['ls', 'secret'],
      ['ls ../secret', 'notes'],
    ] as const) {
      expect(await judgeShell(command, { front: names, cwd }), command).toMatchObject({
        verdict: 'preApproved',
        rule: { id: 'shell:ls' },
        printed: { hides: ['hr'] },
      })
    }
  })

  test('is said to be hidden only where the command runs without being asked about', async () => {
    const outcomes = async (more: Parameters<typeof judgeShell>[1]): Promise<string[]> => {
      const { steps } = await judgeShell('ls', { front, ...more })
      return steps.flatMap(({ step, outcome }) => (step === 'command' ? [outcome] : []))
    }
    expect(await outcomes({})).toEqual(['preApproved', 'runs as', 'hides', 'hides'])
    const config =
      'defaults: { queue: platform }\noverlays: [{ when: { tool: shell }, approval: ask }]\n'
    expect(await outcomes({ config })).toEqual(['preApproved'])
    expect(await outcomes({ runsHere: false })).toEqual(['preApproved'])
  })

  test('blocks every command that would see it: one that asks, also by a mode or a grant', async () => {
    const grant = async () => ({ id: 'g', text: 'granted' })
    const config =
      'defaults: { queue: platform }\noverlays: [{ when: { tool: shell }, approval: ask }]\n'
    for (const more of [
      {},
      { runMode: 'approve_all' as const },
      { findGrant: grant },
      { runsHere: false },
      { config },
    ]) {
      const command = 'config' in more || 'runsHere' in more ? 'ls' : 'git add x'
      expect(await judgeShell(command, { front, ...more })).toMatchObject({
        verdict: 'blocked',
        rule: { id: 'zone:hr.read' },
        printed: null,
      })
    }
  })
})

// Rules: security.md 4, 7
describe('the host and the folder', () => {
  test('a folder outside of all zones, a link and a missing folder are errors, and nobody is asked', async () => {
    const front = shell
    for (const cwd of ['scratch/etc', 'none', 'notes/a.md']) {
      expect(await judgeShell('ls', { cwd, front })).toMatchObject({ verdict: 'error' })
    }
    const project = projectWith(
      'zones: [{ name: notes, root: notes, mode: rw }]\nshell: { default: ask }',
    )
    const call = { tool: 'exec', input: { argv: ['ls'], cwd: 'src' }, tools: [commandTool('exec')] }
    const { verdict, reason } = await judgeBy(project, call, { commandHost: host })
    expect({ verdict, reason }).toEqual({
      verdict: 'error',
      reason: '"src" is in no zone of this worker; its zones: notes (notes)',
    })
  })

  test('without a sandbox nothing is pre-approved, and nothing runs where it is required', async () => {
    const commandHost = { ...host, sandboxProblem: 'bwrap is not installed' }
    expect(await judgeShell('ls', { commandHost })).toMatchObject({ verdict: 'ask', printed: null })
    const front = `sandbox: { required: true }\n${shell}`
    expect(await judgeShell('ls', { front })).toMatchObject({ verdict: 'preApproved' })
    const refused = await judgeShell('ls', { front, commandHost, runMode: 'approve_all' })
    expect(refused).toMatchObject({ verdict: 'error', reason: expect.stringContaining('bwrap') })
  })

  test('a network makes the risk high', async () => {
    expect(await judgeShell('git add x')).toMatchObject({ risk: 'medium' })
    const front = `sandbox: { network: allow }\n${shell}`
    expect(await judgeShell('git add x', { front })).toMatchObject({ risk: 'high' })
  })

  test('the zones of a rule apply to every path after links are followed', async () => {
    for (const [script, cwd] of [
      ['cat notes/a.md notes/deep/b.md', ''],
      ['cat deep/../a.md', 'notes'],
      ['cat ../notes/a.md', 'scratch'],
      ['cat scratch/to-notes', ''],
      ['grep -f notes/a.md x scratch', ''],
      ['cat', ''],
    ] as const) {
      expect(await judgeShell(script, { cwd }), script).toMatchObject({ verdict: 'preApproved' })
    }
    for (const script of [
      'cat notes/to-secret.md',
      'cat notes/to-etc.md',
      'cat secret/s.txt',
      'cat notes/../secret/s.txt',
      'cat src/main.ts',
      'cat /etc/hostname',
      'cat notes/a.md ../outside',
      'cat "$HOME/x"',
      'grep x .',
      'grep -f secret/s.txt x notes',
      'grep --file=secret/s.txt x notes',
    ]) {
      expect(await judgeShell(script), script).toMatchObject({ verdict: 'ask' })
    }
  })
})

describe('routing', () => {
  const config = `defaults: { queue: platform }
routing:
  - { when: { command: git add }, queue: security, risk: low, scopes: [once, run, command] }
  - { when: { command: terraform apply }, risk: high }
`
  test('an entry about a command chooses its queue, and the scope that the entry lists', async () => {
    const judgement = await judgeShell('git -C x add .', { config })
    expect(judgement).toMatchObject({
      risk: 'low',
      routing: { queue: 'security', scopes: ['once', 'run', 'command'] },
    })
  })

  test('an entry that matches only a part of a script may raise the risk and never lowers it', async () => {
    const part = await judgeShell('git add .; curl x', { config })
    expect(part).toMatchObject({
      risk: 'medium',
      routing: {
        queue: 'security',
        scopes: ['once', 'run'],
        narrowed: { command: 'routing' },
      },
    })
    expect(await judgeShell('x && terraform apply', { config })).toMatchObject({ risk: 'high' })
  })

  test('the people of an entry about a part of a script do not decide alone, and its self-approval does not count', async () => {
    expect((await judgeShell('git add .; curl x', { config })).routing).toMatchObject({
      queue: 'security',
      quorumText: '1 of security and 1 of platform',
      selfApproval: false,
    })
    expect((await judgeShell('git add .', { config })).routing).toMatchObject({
      quorumText: '1 of security',
      selfApproval: true,
    })
  })

  test('an entry with a path below the folder in which a command runs does not route it', async () => {
    const below = `defaults: { queue: platform }
routing:
  - { when: { path: "notes/**" }, queue: security, risk: low }
`
    const inFolder = (command: string, cwd: string) => {
      const call = { tool: 'shell', input: { command, cwd }, tools: [commandTool('shell')] }
      const project = projectWith(`${usualZones}\n${shell}`, below)
      return judgeBy(project, call, { commandHost: host })
    }
    expect((await inFolder('git fetch', '')).routing).toMatchObject({
      queue: 'platform',
      quorumText: '1 of platform',
    })
    expect(await inFolder('git fetch; rm ../x', 'notes')).toMatchObject({
      risk: 'high',
      routing: {
        queue: 'security',
        quorumText: '1 of security and 1 of platform',
        selfApproval: false,
      },
    })
  })

  // Rules: product.md 10, 11
  test('without an entry that lists it there is no scope "command", and edits are "revise"', async () => {
    expect((await judgeShell('git fetch', { config })).routing).toMatchObject({
      scopes: ['once', 'run'],
      edits: 'revise',
    })
  })
})
