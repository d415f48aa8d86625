import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, stat, unlink, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import type { ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import type { StoredNames } from './store-names.ts'

const guardedName = z.strictObject({
  identity: z.string(),
  link: z.boolean(),
  pinned: z.boolean(),
  /** absent: an earlier version wrote the record, of each name in a folder */
  whole: z.boolean().default(false),
  changedMs: z.number(),
})

/**
 * The record that is written before a command begins, so that its forbidden effects are undone even
 * when its host is killed.
 */
const commandRecord = z.strictObject({
  callId: z.string(),
  attempt: z.int(),
  policyDigest: z.string(),
  worker: z.string(),
  root: z.string(),
  owner: z.strictObject({ host: z.string(), pid: z.int(), since: z.string() }),
  /** in the environment of a command without a sandbox; `null`: its sandbox ends with its host */
  variable: z.string().nullable(),
  guarded: z.array(z.tuple([z.string(), guardedName])),
  closed: z.array(z.string()),
  /** path and hash of files below protected names, for a command without a sandbox */
  kept: z.array(z.tuple([z.string(), z.string()])).nullable(),
  /** what was undone of it; `null`: nothing, or nothing was examined yet */
  violation: z.string().nullable(),
})

/** A command that was begun and whose end is not recorded. */
export interface CommandRecord extends z.infer<typeof commandRecord> {
  readonly file: string
  /** the last sign of life of its host, in milliseconds */
  readonly lastSeenMs: number
}

const folderOf = (dataDir: string): string => path.join(dataDir, 'commands')
const heartbeatEveryMs = 1000

/** The facts right before a command begins. `key`: call's id and attempt (`idempotencyKey`). */
export interface CommandFacts {
  readonly key: string
  readonly policyDigest: string
  readonly worker: string
  readonly root: string
  readonly variable: string | null
  readonly before: ZoneNames
  readonly stored: StoredNames | null
}

/**
 * Writes and flushes the record that a command is about to begin. The returned function removes it
 * once forbidden effects are undone. While the command runs, the record is touched every second.
 */
export async function writeCommandRecord(
  dataDir: string,
  beginning: CommandFacts,
): Promise<() => Promise<void>> {
  const { before, stored: storedNames, key, policyDigest, root, variable, worker } = beginning
  const [callId = '', attempt = ''] = key.split(':')
  const record: z.infer<typeof commandRecord> = {
    callId,
    attempt: Number(attempt),
    policyDigest,
    worker,
    root,
    owner: { host: hostname(), pid: process.pid, since: startOf(process.pid) ?? '' },
    variable,
    guarded: [...before.guarded],
    closed: [...before.closed],
    kept: storedNames === null ? null : [...storedNames].map(([at, { hash }]) => [at, hash]),
    violation: null,
  }
  const file = path.join(folderOf(dataDir), `${callId}.${Number(attempt)}.json`)
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 })
  await writeFlushed(file, record)
  const heartbeat = setInterval(() => {
    utimes(file, new Date(), new Date()).catch(() => undefined)
  }, heartbeatEveryMs)
  return async () => {
    clearInterval(heartbeat)
    await unlink(file).catch(() => undefined)
  }
}

/**
 * The commands of dead processes of this host that were begun and not finished, and whose effects
 * nobody has undone yet.
 */
export async function lostCommands(dataDir: string): Promise<CommandRecord[]> {
  return (await readCommandRecords(dataDir)).filter(isLost)
}

/** Whether a command is at work in this folder, or was killed there and is not undone yet. */
export async function hasCommandRecord(dataDir: string, root: string): Promise<boolean> {
  return (await readCommandRecords(dataDir)).some((command) => command.root === root)
}

/** Whether a command of a living process is at work in this folder. */
export async function isCommandAtWork(dataDir: string, root: string): Promise<boolean> {
  const records = await readCommandRecords(dataDir)
  return records.some((command) => command.root === root && !isLost(command))
}

async function readCommandRecords(dataDir: string): Promise<CommandRecord[]> {
  const folder = folderOf(dataDir)
  const names = await readdir(folder).catch(() => [])
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name): Promise<CommandRecord | null> => {
        const file = path.join(folder, name)
        try {
          const text = await readFile(file, 'utf8')
          const { mtimeMs } = await stat(file)
          const record = commandRecord.parse(JSON.parse(text))
          return { ...record, file, lastSeenMs: mtimeMs }
        } catch {
          // An incomplete record, whose command did not begin; or it was removed at this moment.
          return null
        }
      }),
  )
  return records.filter((record) => record !== null)
}

/** Records what was undone of a command, to report it even if this process ends. */
export async function keepViolation(lost: CommandRecord, violation: string): Promise<void> {
  const { file, lastSeenMs, ...record } = lost
  const temporary = `${file}.${process.pid}`
  await writeFlushed(temporary, { ...record, violation })
  await utimes(temporary, lastSeenMs / 1000, lastSeenMs / 1000)
  await rename(temporary, file)
}

async function writeFlushed(file: string, record: z.infer<typeof commandRecord>): Promise<void> {
  await using handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(record))
    await handle.sync()
  } catch (error) {
    // Nothing else removes a part: it is no record of a command.
    await unlink(file).catch(() => undefined)
    throw error
  }
}

/** Removes the record of a command whose effects are undone. */
export async function forgetCommand({ file }: CommandRecord): Promise<void> {
  await unlink(file).catch(() => undefined)
}

function isLost({ owner }: CommandRecord): boolean {
  if (owner.host !== hostname()) return false
  const since = startOf(owner.pid)
  return since === null || since !== owner.since
}

/**
 * The start time of a process, which distinguishes it from a later one with its id; `null` when
 * there is none.
 */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = 'X', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /^[ZX]/.test(state) ? null : (fields[18] ?? '')
  } catch {
    return process.platform === 'linux' ? null : livesElsewhere(pid)
  }
}

function livesElsewhere(pid: number): string | null {
  try {
    process.kill(pid, 0)
    return ''
  } catch {
    return null
  }
}
