import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countProcesses } from './process-count.ts'
import { lookAtTree } from './process-tree.ts'

// Rules: security.md 9
test('the kernel gives a sandbox no more processes than it may have, to root neither', async (context) => {
  const script = 'read; for i in $(seq 50); do sleep 60 & done; echo refused; sleep 60'
  const child = spawn('bash', ['-c', script], { detached: true, stdio: 'pipe' })
  const pid = child.pid ?? 0
  const count = countProcesses(pid, 10)
  try {
    if (count === null) context.skip('this process may make no control group')
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
    child.stdin.write('\n')
    await expect.poll(() => said, { timeout: 60_000 }).toMatch(/Resource temporarily unavailable/)
    expect(lookAtTree(pid, 100).pids.length).toBeLessThan(10)
  } finally {
    process.kill(-pid, 'SIGKILL')
    await once(child, 'close')
    count?.end()
  }
  const group = `countersign-${process.pid}-${pid}`
  await expect
    .poll(
      () => {
        count?.end()
        return existsSync(`/sys/fs/cgroup/pids/${group}`) || existsSync(`/sys/fs/cgroup/${group}`)
      },
      { timeout: 60_000 },
    )
    .toBe(false)
}, 120_000)
