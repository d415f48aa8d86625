import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { expect, test, type TestContext } from 'vitest'
import { boundByKernel, boundsByKernel, type ControlGroup } from './control-group.ts'
import { lookAtTree } from './process-tree.ts'

const mebibyte = 1024 * 1024
const bounds = boundsByKernel()

/**
 * Runs a script, which begins with `read`, within a control group; `work` gets all that it has said
 * until then.
 */
async function within(
  script: string,
  max: { processes: number; memoryBytes: number },
  work: (output: () => string, pid: number, group: ControlGroup) => Promise<void>,
  context: TestContext,
): Promise<void> {
  // Its standard input is a socket: without these options bash would read start-up files.
  const words = ['--norc', '--noprofile', '-p', '-c', script]
  const child: ChildProcessWithoutNullStreams = spawn('bash', words, { detached: true })
  const pid = child.pid ?? 0
  const group = boundByKernel(pid, max)
  try {
    if (group === null) return context.skip('this process may make no control group')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
    }
    child.stdin.write('\n')
    await work(() => output, pid, group)
  } finally {
    process.kill(-pid, 'SIGKILL')
    await once(child, 'close')
    group?.end()
  }
  await expect
    .poll(
      () => {
        group?.end()
        return groupsNamed(`countersign-${process.pid}-${pid}`)
      },
      { timeout: 60_000 },
    )
    .toEqual([])
}

function groupsNamed(name: string): string[] {
  const roots = ['', 'pids', 'memory'].map((one) => `/sys/fs/cgroup/${one}`)
  return roots
    .filter((root) => existsSync(root))
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }))
    .filter((at) => at.endsWith(name))
}

// Rules: security.md 9
test('the kernel gives a sandbox no more processes than its limit, not even to root', async (context) => {
  if (!bounds.processes) context.skip('this process may make no control group that counts')
  const script = 'read; for i in $(seq 50); do sleep 60 & done; echo refused; sleep 60'
  const max = { processes: 10, memoryBytes: 512 * mebibyte }
  await within(
    script,
    max,
    async (output, pid) => {
      await expect.poll(output, { timeout: 60_000 }).toMatch(/Resource temporarily unavailable/)
      expect(lookAtTree(pid, 100).pids.length).toBeLessThan(10)
    },
    context,
  )
})

// Rules: security.md 9
test('the kernel gives all processes of a sandbox together no more memory than their limit, and reports that it was reached', async (context) => {
  if (!bounds.memory) context.skip('this process may make no control group that bounds memory')
  // One process alone stays far below the bound.
  const hold = `const held = Buffer.alloc(60 * 2 ** 20, 1); console.log('held', held.length); setTimeout(() => {}, 60000)`
  const script = `read; for i in 1 2 3 4; do "${process.execPath}" -e "${hold}" & done; wait`
  const max = { processes: 200, memoryBytes: 250 * mebibyte }
  await within(
    script,
    max,
    async (output, _, group) => {
      await expect.poll(() => group.outOfMemory(), { timeout: 60_000 }).toBe(true)
      // The kernel may end any of the four, so that the others have room: with the shell, at most
      // four processes remain.
      await expect.poll(() => group.pids().length, { timeout: 60_000 }).toBeLessThan(5)
      await expect.poll(output, { timeout: 60_000 }).toContain('held')
    },
    context,
  )
})
