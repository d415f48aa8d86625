import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { findSandbox } from './find-sandbox.ts'

const sandbox = await findSandbox('bwrap')
const mebibyte = 1024 * 1024
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  readonly exitCode: number
  readonly exceeded: string | null
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

/** An unprivileged user, who cannot create control groups; only root can switch to one. */
const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath]
const isRoot = process.getuid?.() === 0
const asNobody = isRoot ? nobody : [process.execPath]
const canBeNobody = spawnSync(asNobody[0] ?? '', [...asNobody.slice(1), '-e', '0']).status === 0
if (!canBeNobody) console.warn('Skipped: an unprivileged service cannot read this checkout.')

async function run(
  script: string,
  bounds: object,
  how: { at?: string; service?: readonly string[] } = {},
): Promise<Ended> {
  const zone = mkdtempSync(path.join(how.at ?? tmpdir(), 'written-'))
  folders.push(zone)
  chmodSync(zone, 0o777)
  const fixture = new URL('one-command.fixture.ts', import.meta.url).pathname
  const [program = '', ...words] = how.service ?? [process.execPath]
  const { stdout } = await promisify(execFile)(program, [
    ...words,
    fixture,
    zone,
    script,
    JSON.stringify(bounds),
  ])
  return JSON.parse(stdout) as Ended
}

const manyFiles = (folder: string): string =>
  `i=0; while [ $i -lt 100000 ]; do : > ${folder}/$((i += 1)); done; echo MADE; sleep 60`

// Rules: security.md 9, 30
describe.skipIf(!sandbox.works)(
  'a running command is ended when it writes more than its limit',
  () => {
    test.each([
      ['empty files in a zone', '.'],
      ['empty files in its own /tmp', '/tmp'],
      ['empty files in its own /dev/shm', '/dev/shm'],
    ])('%s', async (_, folder) => {
      const end = await run(manyFiles(folder), { files: 2000 })
      expect(end.exceeded, end.stderr).toBe(
        'It made or changed more than 2000 files and was ended.',
      )
      expect(end.stdout).toBe('')
    })

    test('bytes in a zone on a disk that counts no writes', async (context) => {
      if (statfsSync('/dev/shm').bavail * statfsSync('/dev/shm').bsize < 200 * mebibyte)
        context.skip('/dev/shm is small here')
      const script = 'for i in 1 2 3 4; do head -c 30M /dev/zero > $i; done; sleep 60'
      const end = await run(script, { writtenBytes: 64 * mebibyte }, { at: '/dev/shm' })
      expect(end.exceeded).toMatch(/more than 67108864 bytes to disk/)
    })

    test('fallocate is refused, and a hole in a file counts as none', async () => {
      const script = `fallocate -l 60M a; fallocate -n -l 60M b; fallocate -z -l 60M c; truncate -s 60M d
      for i in 1 2 3 4 5; do cp --sparse=always d $i; done; du -sm . | cut -f1`
      const end = await run(script, { writtenBytes: 64 * mebibyte })
      expect(end.exceeded).toBeNull()
      expect(Number(end.stdout)).toBeLessThan(5)
      expect(end.stderr).toMatch(/fallocate.*not supported/i)
    })

    test('many files that a command only reads do not count as written', async () => {
      const script = 'for i in $(seq 1500); do : > $i; done; cat * > /dev/null; echo read'
      expect(await run(script, { files: 2000 })).toMatchObject({ exceeded: null, stdout: 'read\n' })
    })
  },
)

// Rules: security.md 9, 30
describe.skipIf(!sandbox.works || !canBeNobody)(
  'the memory of a command of an unprivileged service is limited:',
  () => {
    const bounds = { memoryBytes: 200 * mebibyte, writtenBytes: 150 * mebibyte }
    const limited = /more than 209715200 bytes of memory/

    test('its own folders in memory, each with a size, together with the rest', async () => {
      const fill = (folder: string): string => `head -c 400M /dev/zero > ${folder}/f`
      const script = `${fill('/dev/shm')}; ${fill('/tmp')}; ${fill('/run')}; touch /dev/f /f; sleep 60`
      const end = await run(script, bounds, { service: asNobody })
      expect(end.exceeded, end.stderr).toMatch(limited)
    })

    test.each([
      ['what its processes share', 300],
      ['what they share, after who wrote it has ended', 10],
    ])('%s', async (_, each) => {
      const script = `python3 -c "
import mmap, os, time
m = mmap.mmap(-1, 300 * 2**20)
for part in range(0, 300, ${each}):
    if os.fork():
        continue
    for at in range(part * 2**20, (part + ${each}) * 2**20, 4096): m[at] = 1
    if ${each} == 300: time.sleep(60)
    os._exit(0)
time.sleep(60)"`
      const end = await run(script, bounds, { service: asNobody })
      expect(end.exceeded, end.stderr).toMatch(limited)
    })

    test('files without a name', async () => {
      const script = `python3 -c "import os; os.memfd_create('m')"`
      const end = await run(script, bounds, { service: asNobody })
      expect(end.stderr).toMatch(/not implemented/)
    })
  },
)
