import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { installSandbox } from './install-sandbox.ts'

let folder: string
let lines: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apt '))
  lines = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function program(name: string, script = 'exit 0'): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, name), 0o755)
}

/** An apt that records its arguments, and installs only after its lists were updated. */
function aptThatNeedsAnUpdate(): Promise<void> {
  const make = 'printf "#!/bin/sh\\n" > "$at/$name"; chmod +x "$at/$name"'
  return program(
    'apt-get',
    `PATH=/usr/bin:/bin; at=$(dirname "$0"); echo "$*" >> "$at/asked"
case "$*" in
  *update*) : > "$at/updated" ;;
  *) [ -e "$at/updated" ] || exit 100
     for name in bwrap slirp4netns ip; do ${make}; done ;;
esac`,
  )
}

function install(mayInstall: boolean): string | null {
  return installSandbox({ path: folder, mayInstall, log: (sentence) => void lines.push(sentence) })
}

// Elsewhere there is no sandbox to install.
describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('missing programs are installed as root, with new package lists where the old ones do not suffice', async () => {
    await aptThatNeedsAnUpdate()
    expect(install(true)).toBeNull()
    expect(lines).toEqual([
      'installing bubblewrap and slirp4netns and iproute2 for commands in a sandbox',
    ])
    const calls = (await readFile(join(folder, 'asked'), 'utf8')).trimEnd().split('\n')
    expect(calls.map((line) => line.replace(/^(-o \S+ )+/, ''))).toEqual([
      'install --yes --no-install-recommends bubblewrap slirp4netns iproute2',
      'update',
      'install --yes --no-install-recommends bubblewrap slirp4netns iproute2',
    ])
  })

  test('nothing is installed where nothing is missing, or by an ordinary user, who reads what to do', async () => {
    await aptThatNeedsAnUpdate()
    await program('bwrap')
    await program('ip')
    expect(install(false)).toBe(
      "slirp4netns cannot be found: install with the system's package manager (apt-get install slirp4netns)",
    )
    await program('slirp4netns')
    expect(install(true)).toBeNull()
    expect(lines).toEqual([])
    await expect(readFile(join(folder, 'asked'))).rejects.toThrow('ENOENT')
  })
})
