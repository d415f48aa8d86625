import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runProgram } from '../packages/packed.ts'

const root = join(import.meta.dirname, '..', '..')
const profile = join(root, 'deploy', 'seccomp', 'nested-sandbox.json')
const folder = await mkdtemp(join(tmpdir(), 'countersign-seccomp-'))
const python = join(folder, 'venv', 'bin', 'python')

/** Somebody without any right, as in a container that drops all capabilities. */
const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs']
const powerless = [...nobody, '--inh-caps=-all', '--bounding-set=-all']
const probe = [process.execPath, join(import.meta.dirname, 'probe-sandbox.ts')]
const env = { PATH: process.env['PATH'], HOME: tmpdir(), TMPDIR: tmpdir() }

async function probeBy(args: readonly string[]): Promise<{ works: boolean; problem?: string }> {
  const { stdout } = await runProgram('setpriv', [...powerless, ...args], { cwd: root, env })
  return JSON.parse(stdout)
}

/**
 * What is not there to try a profile with; `null`: all is. It takes root, as a container's runtime
 * has, a checkout that everybody can read, and a sandbox that works without a profile.
 */
const missing = await runProgram('python3', ['-m', 'venv', join(folder, 'venv')])
  .then(() => runProgram(python, ['-m', 'pip', 'install', '--quiet', 'pyseccomp==0.1.2']))
  .then(() => chmod(folder, 0o755))
  .then(() => probeBy(probe))
  .then(({ problem }) => problem ?? null)
  .catch((error: Error) => error.message)
if (missing !== null) console.log(`The seccomp profile is not tried: ${missing}`)

/** Applies a profile of the OCI's format, as a container's runtime does, and becomes a program. */
const applier = `
import json, os, sys
import pyseccomp as s

profile = json.load(open(sys.argv[1]))

def action(rule):
    if rule["action"] == "SCMP_ACT_ALLOW":
        return s.ALLOW
    return s.ERRNO(rule.get("errnoRet", profile["defaultErrnoRet"]))

comparisons = {"SCMP_CMP_EQ": s.EQ, "SCMP_CMP_LT": s.LT, "SCMP_CMP_MASKED_EQ": s.MASKED_EQ}
filter = s.SyscallFilter(s.ERRNO(profile["defaultErrnoRet"]))
for rule in profile["syscalls"]:
    values = [
        s.Arg(one["index"], comparisons[one["op"]], one["value"], *([one["valueTwo"]] if "valueTwo" in one else []))
        for one in rule.get("args", [])
    ]
    for name in rule["names"]:
        try:
            filter.add_rule(action(rule), name, *values)
        except (OSError, RuntimeError, ValueError):
            # A call that this library or this machine does not know.
            print("unknown", name, file=sys.stderr)
filter.load()
os.execvp(sys.argv[2], sys.argv[2:])
`

interface Rule {
  readonly names: readonly string[]
  readonly action: string
  readonly args?: readonly object[]
}

describe.skipIf(missing !== null)('the seccomp profile for containers', () => {
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What the sandbox says of itself under a profile. */
  async function probeUnder(file: string): Promise<unknown> {
    await writeFile(join(folder, 'apply.py'), applier, { mode: 0o644 })
    return probeBy([python, join(folder, 'apply.py'), file, ...probe])
  }

  test('lets commands be sandboxed, which the default of container runtimes does not', async () => {
    expect(await probeUnder(profile)).toMatchObject({ works: true })
    const { syscalls, ...rest } = JSON.parse(await readFile(profile, 'utf8')) as {
      syscalls: readonly Rule[]
    }
    // What the default has in place of our last rules: new processes, but no new namespace.
    const flags = { index: 0, value: 0x7e020000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }
    const clone = { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [flags] }
    const usual = { ...rest, syscalls: [...syscalls.slice(0, -2), clone] }
    const file = join(folder, 'default.json')
    await writeFile(file, JSON.stringify(usual))
    expect(await probeUnder(file)).toMatchObject({
      works: false,
      problem: expect.stringContaining('No permissions to create new namespace'),
    })
  })

  test('allows nothing else that a container may not do', async () => {
    const { syscalls } = JSON.parse(await readFile(profile, 'utf8')) as {
      syscalls: readonly Rule[]
    }
    const allowed = syscalls
      .filter(({ action, args }) => action === 'SCMP_ACT_ALLOW' && args === undefined)
      .flatMap(({ names }) => names)
    const never =
      'bpf init_module finit_module kexec_load open_by_handle_at reboot swapon add_key userfaultfd'
    expect(never.split(' ').filter((name) => allowed.includes(name))).toEqual([])
    const added = 'clone mount pivot_root sethostname setns umount2 unshare'.split(' ')
    expect(syscalls.at(-2)?.names).toEqual(added)
    expect(syscalls.at(-1)).toMatchObject({ names: ['keyctl'], args: [{ index: 0, value: 1 }] })
  })
})
