import { spawn } from 'node:child_process'
import {
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
  existsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** What one script ran: the vectors in their order, as its programs were given them. */
export type Recorded = readonly (readonly string[])[]

/** Real programs that run other ones; everything else on the recording PATH is a stub. */
const real = [
  'bash',
  'sh',
  'env',
  'xargs',
  'timeout',
  'nohup',
  'nice',
  'setsid',
  'stdbuf',
  'find',
  'rev',
  'cat',
]
const stubs = ['git', 'rm']
/** A record's first field, which no program is called. */
const scriptMark = '\u0001script'

/**
 * Runs scripts under a real `bash --norc --noprofile -p`, each in a subshell of its own, and
 * records every vector that one of `programs` is given. These are functions, also under
 * `/usr/bin/NAME`; `git` and `rm` are programs on the PATH as well, so that wrappers find them.
 * Nothing else that changes anything can be reached. Scripts must not hold NUL.
 */
export async function recordRuns(
  scripts: readonly string[],
  programs: readonly string[],
): Promise<readonly Recorded[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-shell-'))
  try {
    const middle = Math.ceil(scripts.length / 2)
    const halves = [scripts.slice(0, middle), scripts.slice(middle)]
    const recorded = await Promise.all(
      halves.map((half, index) => recordIn(path.join(folder, String(index)), half, programs)),
    )
    return recorded.flat()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function recordIn(
  folder: string,
  scripts: readonly string[],
  programs: readonly string[],
): Promise<readonly Recorded[]> {
  const at = (name: string): string => path.join(folder, name)
  for (const name of ['', 'bin', 'home', 'cwd']) mkdirSync(at(name), { recursive: true })
  for (const name of real) {
    const target = ['/usr/bin', '/bin']
      .map((where) => `${where}/${name}`)
      .find((file) => existsSync(file))
    if (target !== undefined) symlinkSync(target, at(`bin/${name}`))
  }
  const record = at('record')
  for (const name of stubs) {
    const body = `#!/bin/sh\nprintf '%s\\0' "$(($# + 1))" ${name} "$@" >> '${record}'\n`
    writeFileSync(at(`bin/${name}`), body, { mode: 0o755 })
  }
  writeFileSync(at('cwd/b.md'), '')
  writeFileSync(record, '')
  writeFileSync(at('scripts'), scripts.map((script) => `${script}\0`).join(''))
  const driver = driverOf([...programs, ...stubs], record, at('scripts'))
  await runBash(driver, folder)
  return split(readFileSync(record, 'utf8'), scripts.length, folder)
}

// A newline is recorded as another character: bash writes at each newline, and a record must be one
// write.
function driverOf(programs: readonly string[], record: string, scripts: string): string {
  const functions = programs.flatMap((name) =>
    [name, `/usr/bin/${name}`].map(
      (called) =>
        `function ${called} { builtin printf '%s\\0' "$(($# + 1))" '${called}' "\${@//$'\\n'/$'\\x02'}" >> '${record}'; [[ '${name}' != false && "$1" != fail ]]; }`,
    ),
  )
  return [
    ...functions,
    'n=0',
    `while IFS= read -r -d '' __script; do`,
    `  builtin printf '%s\\0' 2 '${scriptMark}' "$n" >> '${record}'`,
    '  ( unset n; builtin eval "$__script"; builtin wait ) </dev/null >/dev/null 2>/dev/null 200>&-',
    '  n=$((n + 1))',
    `done 200<'${scripts}' <&200`,
    'wait',
  ].join('\n')
}

/** A script that waits for ever must not hold the suite up for ever. */
const maxMs = 200_000

async function runBash(driver: string, folder: string): Promise<void> {
  const child = spawn('bash', ['--norc', '--noprofile', '-p', '-c', driver], {
    cwd: path.join(folder, 'cwd'),
    env: {
      PATH: path.join(folder, 'bin'),
      HOME: path.join(folder, 'home'),
      TMPDIR: path.join(folder, 'home'),
      LC_ALL: 'C.UTF-8',
    },
    stdio: 'ignore',
    detached: true,
  })
  const end = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), maxMs)
  try {
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (...ended) => resolve(ended))
    })
    if (code !== 0) throw new Error(`The recording shell ended with ${code ?? signal}`)
  } finally {
    clearTimeout(end)
  }
}

/** Fields in runs: a count, then so many fields. */
function split(text: string, scripts: number, folder: string): readonly Recorded[] {
  const fields = text.split('\0')
  const runs: string[][][] = Array.from({ length: scripts }, () => [])
  let current: string[][] | undefined
  for (let at = 0; at < fields.length - 1;) {
    const count = Number(fields[at])
    const vector = fields.slice(at + 1, at + 1 + count)
    at += 1 + count
    if (vector[0] === scriptMark) current = runs[Number(vector[1])]
    else current?.push(vector.map((field) => plainField(field, folder)))
  }
  return runs
}

/** The same wherever it ran, and however a program was found. */
function plainField(field: string, folder: string): string {
  return field.replaceAll(folder, '/folder').replace(/^\/usr\/bin\//, '')
}
