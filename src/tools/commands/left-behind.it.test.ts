import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandDesk, isThere, lingeringScripts, testSandbox } from './commands.fixture.ts'

// Rules: security.md 9
describe.skipIf(!testSandbox.works)('no process of a command survives', () => {
  const mark = (name: string) => `countersign-left-${process.pid}-${name}`

  test.each(lingeringScripts)('%s', async (what, script) => {
    using desk = await commandDesk()
    const name = mark(what.replaceAll(' ', '-'))
    const ran = await desk.shell(`${script(name)}\necho done`)
    expect(ran.stdout).toBe('done\n')
    expect(await isThere(name)).toBe(false)
  })

  test('when its time is over, whatever signals it traps', async () => {
    using desk = await commandDesk()
    const name = mark('time')
    const script = `trap '' TERM; bash -c "trap '' TERM; exec -a ${name} sleep 300" & echo begun; wait; sleep 300`
    const ran = await desk.shell(script, { timeoutSeconds: 2 })
    expect(ran).toMatchObject({ timedOut: true, stdout: 'begun\n' })
    expect(ran.text).toContain('its time was over')
    expect(await isThere(name)).toBe(false)
  })

  test('when it is stopped: its call rejects', async () => {
    using desk = await commandDesk()
    const name = mark('stop')
    const stop = new AbortController()
    const running = desk.run(
      'shell',
      { command: `echo x > begun; bash -c "exec -a ${name} sleep 300"`, cwd: 'work' },
      { signal: stop.signal },
    )
    await expect
      .poll(() => existsSync(path.join(desk.root, 'work/begun')), { timeout: 60_000 })
      .toBe(true)
    stop.abort('cancelled')
    await expect(running).rejects.toThrow('ended before it was done')
    expect(await isThere(name)).toBe(false)
  })

  test('a fork bomb is ended and named', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell('bomb() { bomb | bomb & }; bomb; sleep 5', { timeoutSeconds: 60 })
    expect(ran.violation ?? ran.stderr).toMatch(/more than 256 processes|Resource temporarily/)
  })

  test('a flood of output is ended, and the number of kept bytes is exact', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell('cat /dev/zero', { timeoutSeconds: 60 })
    expect(ran.violation).toMatch(/more than 10485760 bytes to standard output/)
    expect(ran.truncated).toBe(true)
    expect(ran.streams?.['stdout']?.length).toBe(10 * 1024 * 1024)
    expect(Buffer.byteLength(ran.text)).toBeLessThanOrEqual(64 * 1024)
  })

  test('memory beyond the limit is not allocated', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(`python3 -c 'x = bytearray(3 * 1024 ** 3)' && echo GIVEN`)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/MemoryError/)
  })

  test('memory beyond the limit that many processes use together ends them all', async () => {
    using desk = await commandDesk()
    const hold = `python3 -c "import time; held = b'x' * (700 * 2**20); time.sleep(100)"`
    const script = `for i in 1 2 3 4 5; do ${hold} & done; wait; sleep 100`
    const ran = await desk.shell(script, { timeoutSeconds: 90 })
    expect(ran.violation).toMatch(/more than 2147483648 bytes of memory/)
    expect(ran.timedOut).toBe(false)
  })

  test('a file beyond the limit is not written', async () => {
    using desk = await commandDesk()
    const ran = await desk.shell(
      'truncate -s 1100M big; dd if=/dev/zero of=big bs=1M seek=1030 count=1; [ -s big ] && echo BIG',
    )
    expect(ran.stdout).toBe('')
  })

  test('a missing program is exit code 127', async () => {
    using desk = await commandDesk()
    expect(await desk.run('exec', { file: 'no-such-program' })).toMatchObject({
      type: 'output',
      exitCode: 127,
    })
    expect(await desk.run('exec', { file: '/usr/bin/no-such-program' })).toMatchObject({
      exitCode: 127,
    })
    expect(await desk.shell('no-such-program')).toMatchObject({ exitCode: 127 })
  })
})
