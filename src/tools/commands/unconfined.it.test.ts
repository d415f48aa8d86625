import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { commandEnvironment } from '#sandbox/bwrap/command-environment.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { boundsByKernel } from '#sandbox/process/control-group.ts'
import { parsed } from '../workspace.fixture.ts'
import {
  commandDesk,
  isThere,
  lingeringScripts,
  withoutFlush,
  type RanCommand,
} from './commands.fixture.ts'

const none = await findSandbox('no-such-bubblewrap')
const optional = { host: none, sandbox: '{ required: false }' }

/** A desk on a host without a sandbox: it runs what a person saw and approved. */
async function bareDesk(files: Readonly<Record<string, string>> = {}) {
  const desk = await commandDesk(files, {
    ...optional,
    zones: '\n  - { name: all, root: ., mode: rw }',
  })
  const approved = async (command: string): Promise<CallFacts> => {
    const input = await parsed(desk.tools.shell, { command, cwd: 'work' })
    const { signal } = new AbortController()
    return (await desk.tools.shell.present(input, { workspace: desk.workspace, signal })).facts
  }
  return {
    ...desk,
    async approvedShell(
      command: string,
      how: { timeoutSeconds?: number; signal?: AbortSignal; workspace?: Workspace } = {},
    ): Promise<RanCommand> {
      const { signal, workspace, ...more } = how
      const result = await desk.run(
        'shell',
        { command, cwd: 'work', ...more },
        {
          facts: await approved(command),
          ...(signal === undefined ? {} : { signal }),
          ...(workspace === undefined ? {} : { workspace }),
        },
      )
      return { ...(result.output as unknown as Omit<RanCommand, 'text'>), text: result.text }
    },
  }
}

// Rules: security.md 7
describe('on a host without a sandbox', () => {
  test('the probe reports it, and how to install one', () => {
    expect(none).toMatchObject({ works: false, problem: 'no-such-bubblewrap is not installed' })
  })

  test('an approved command runs, and its result says how', async () => {
    using desk = await bareDesk()
    const ran = await desk.approvedShell('echo made > b.txt; pwd')
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${path.join(desk.root, 'work')}\n` })
    expect(ran.text).toContain('It ran without a sandbox: none works on this host.')
    expect(desk.text('work/b.txt')).toBe('made\n')
  })

  test('the approver is warned in words, at high risk, for this call only, and no mode approves it', async () => {
    using desk = await bareDesk()
    const input = await parsed(desk.tools.shell, { command: 'ls', cwd: 'work' })
    const { signal } = new AbortController()
    const call = await desk.tools.shell.present(input, { workspace: desk.workspace, signal })
    expect(call.presentation.warnings.join(' ')).toMatch(
      /will run without a sandbox: none works .* its zones do not limit it/,
    )
    expect(desk.tools.shell).toMatchObject({
      risk: 'high',
      scopes: ['once'],
      needsPerson: 'approval',
      unconfined: true,
    })
  })

  test.each([
    ['that nobody was asked about', { required: false }],
    ['whose worker requires a sandbox', { required: true }],
  ])('a command %s does not run', async (_, { required }) => {
    using desk = await commandDesk({}, { ...optional, sandbox: `{ required: ${required} }` })
    const command = 'echo x > made'
    const facts = { toolHash: desk.tools.shell.definitionHash, bases: [] }
    const input = await parsed(desk.tools.shell, { command, cwd: 'work' })
    const { signal } = new AbortController()
    const call = await desk.tools.shell.present(input, { workspace: desk.workspace, signal })
    const base = required ? call.facts : facts
    const result = await desk.run('shell', { command, cwd: 'work' }, { facts: base })
    expect(result).toMatchObject({ type: 'error', text: expect.stringMatching(/cannot run on/) })
    expect(existsSync(path.join(desk.root, 'work/made'))).toBe(false)
  })

  test('one that was approved with a sandbox is stale', async () => {
    using desk = await bareDesk()
    const facts = {
      toolHash: desk.tools.shell.definitionHash,
      bases: [],
      detail: { programs: [], profile: 'sha256:of-another-host' },
    }
    await expect(desk.run('shell', { command: 'ls', cwd: 'work' }, { facts })).rejects.toThrow(
      'has changed since it was shown',
    )
  })

  // Rules: security.md 3
  test('it sees none of the service’s environment, and has a home of its own', async () => {
    using desk = await bareDesk()
    process.env['A_SECRET_OF_THE_SERVICE'] = 'value'
    const ran = await desk.approvedShell('env | cut -d= -f1 | sort; echo "$HOME" >&2; cat')
    delete process.env['A_SECRET_OF_THE_SERVICE']
    const names = [...Object.keys(commandEnvironment), 'COUNTERSIGN_COMMAND'].toSorted()
    const added = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD'])
    const found = ran.stdout.trim().split('\n')
    expect(found.filter((name) => !added.has(name))).toEqual(names)
    expect(existsSync(ran.stderr.trim())).toBe(false)
  })

  test('it gets no descriptor that the service has open', async () => {
    using desk = await bareDesk()
    const ran = await desk.approvedShell('ls /proc/$$/fd; true')
    expect(ran.stdout).toBe('0\n1\n2\n')
  })
})

// Rules: security.md 9
describe.runIf(process.platform === 'linux')(
  'no process of a command without a sandbox survives',
  () => {
    test.each(lingeringScripts)('%s', async (what, script) => {
      using desk = await bareDesk()
      const name = `countersign-bare-${process.pid}-${what.replaceAll(' ', '-')}`
      const ran = await desk.approvedShell(`${script(name)}\necho done`)
      expect(ran.stdout).toBe('done\n')
      expect(await isThere(name)).toBe(false)
    })

    test.runIf(boundsByKernel().processes)(
      'even one in a session and an environment of its own, where control groups are available',
      async () => {
        using desk = await bareDesk()
        const name = `countersign-bare-${process.pid}-hidden`
        const hidden = `setsid -f env -i bash -c "exec -a ${name} sleep 300" </dev/null >/dev/null 2>&1`
        await desk.approvedShell(`( ${hidden} & )\necho done`)
        expect(await isThere(name)).toBe(false)
      },
    )

    test('when its time is over, and when it is stopped', async () => {
      using desk = await bareDesk()
      const name = `countersign-bare-${process.pid}-time`
      const script = `trap '' TERM; bash -c "trap '' TERM; exec -a ${name} sleep 300" & echo x > begun; wait; sleep 300`
      expect(await desk.approvedShell(script, { timeoutSeconds: 2 })).toMatchObject({
        timedOut: true,
      })
      expect(await isThere(name)).toBe(false)
      const stop = new AbortController()
      const running = desk.approvedShell(`rm begun; ${script}; echo "$?" > second`, {
        signal: stop.signal,
      })
      await expect.poll(() => isThere(name), { timeout: 60_000 }).toBe(true)
      stop.abort('cancelled')
      await expect(running).rejects.toThrow('ended before it was done')
      expect(await isThere(name)).toBe(false)
    })

    test('a flood of output is ended and counted, and one file has its limit', async () => {
      using desk = await bareDesk()
      const ran = await desk.approvedShell('cat /dev/zero', { timeoutSeconds: 60 })
      expect(ran.violation).toMatch(/more than 10485760 bytes to standard output/)
      const big = await desk.approvedShell(
        'dd if=/dev/zero of=big bs=1M seek=1030 count=1; [ -s big ] && echo BIG',
      )
      expect(big.stdout).toBe('')
    })
  },
)

// Rules: security.md 8
describe('protected names, without a sandbox', () => {
  test('that a command made are removed, and it has failed', async () => {
    using desk = await bareDesk()
    const ran = await desk.approvedShell('mkdir -p s/.git/hooks; echo evil > s/.git/hooks/x')
    expect(ran.violation).toContain('it made "work/s/.git", a protected name, which was removed')
    expect(existsSync(path.join(desk.root, 'work/s/.git'))).toBe(false)
    expect(readdirSync(path.join(desk.root, 'work/s'))).toEqual([])
  })

  test('that existed before are restored as they were', async () => {
    using desk = await bareDesk({
      'work/.npmrc': 'old\n',
      'work/.vscode/tasks.json': '{}\n',
      'work/.envrc': 'old\n',
    })
    const ran = await desk.approvedShell(
      'echo evil > .npmrc; echo evil > .vscode/tasks.json; echo evil > .vscode/launch.json; rm .envrc',
    )
    for (const [what, at] of [
      ['changed', 'work/.npmrc'],
      ['changed', 'work/.vscode/tasks.json'],
      ['removed', 'work/.envrc'],
    ]) {
      expect(ran.violation).toContain(`it ${what} "${at}", part of a protected name, which was put`)
    }
    expect(ran.violation).toContain(
      'it made "work/.vscode/launch.json", a protected name, which was',
    )
    expect(desk.text('work/.npmrc')).toBe('old\n')
    expect(desk.text('work/.envrc')).toBe('old\n')
    expect(desk.text('work/.vscode/tasks.json')).toBe('{}\n')
    expect(readdirSync(path.join(desk.root, 'work/.vscode'))).toEqual(['tasks.json'])
  })

  test('that were put back and may not stay so are not told as those that could not be', async () => {
    using desk = await bareDesk({ 'work/.npmrc': 'old\n' })
    const workspace = withoutFlush(desk.workspace)
    const ran = await desk.approvedShell('echo evil > .npmrc', { workspace })
    expect(ran.violation).toContain(
      'it changed "work/.npmrc", part of a protected name, which may not have been put back (it was changed, and may not stay so)',
    )
    expect(desk.text('work/.npmrc')).toBe('old\n')
  })
})
