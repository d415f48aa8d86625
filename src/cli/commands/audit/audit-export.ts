import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { requestOf } from '#client/call.ts'
import { isLogFile } from '#evidence/bundle/log-files.ts'
import { filesOfArchive } from '#evidence/bundle/tar.ts'
import { parseCheckpoint } from '#evidence/note/checkpoint.ts'
import { parseNote } from '#evidence/note/signed-note.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { writeOut } from '../../terminal/write-out.ts'
import { connect } from '../../service/connect.ts'
import type { Service } from '../../service/service.ts'
import { filtersOf, withFilters, type FilterOptions } from './audit-filters.ts'
import { withExamples } from '../examples.ts'

interface ExportOptions extends FilterOptions {
  readonly format?: 'jsonl' | 'csv'
  readonly log?: boolean
  readonly since?: string
  readonly out?: string
}

/**
 * `countersign audit export`: lines of the trail, an evidence bundle of one request, or the whole
 * log.
 */
export function addAuditExportCommand(audit: Command): void {
  const whole = withFilters(audit.command('export'))
    .description(
      'export the audit events as lines; with only --request, an evidence bundle of that request; with --log, the whole log',
    )
    .addOption(new Option('--format <format>', 'lines (default: jsonl)').choices(['jsonl', 'csv']))
    .option('--log', 'the whole log, into the folder of --out')
    .option('--since <file>', 'with only --request: prove that the log continues this checkpoint')
    .option('--out <path>', 'write to this file, or with --log into this new folder')
    .action(exportTrail)
  withExamples(whole, [
    'audit export --out trail.jsonl',
    'audit export --request 12 --out request-12.json',
    'audit export --log --out trail/',
    'audit export --from 2026-11-01 --to 2026-12-01 --format csv --out november.csv',
  ])
}

async function exportTrail(options: ExportOptions): Promise<void> {
  const { format, log, request, since, out, ...others } = options
  const filters = Object.values(filtersOf({ ...others })).filter((one) => one !== undefined)
  if (log === true) {
    if (out === undefined || format !== undefined || request !== undefined || filters.length > 0) {
      throw new CommandFailure('--log takes --out FOLDER, and no filter', exitCodes.usage)
    }
    return exportLog(await connect(options), out)
  }
  const isBundle = request !== undefined && format === undefined && filters.length === 0
  if (since !== undefined && !isBundle) {
    throw new CommandFailure('--since goes with --request alone', exitCodes.usage)
  }
  const service = await connect(options)
  if (isBundle) {
    const size = since === undefined ? undefined : await sizeIn(since)
    const evidence = requestOf('getEvidence', { params: { id: request }, query: { since: size } })
    return write(await service.bytes(evidence), out, null)
  }
  const query = { ...filtersOf(options), format: format ?? 'jsonl' }
  const { bytes, headers } = await service.answer(requestOf('exportAudit', { query }))
  return write(bytes, out, headers.get('x-total-count'))
}

async function write(
  bytes: Uint8Array,
  out: string | undefined,
  count: string | null,
): Promise<void> {
  const events = count === null ? null : countWords(Number(count), 'event')
  if (out === undefined) {
    process.stdout.write(bytes)
    if (events !== null) console.error(events)
    return
  }
  await writeOut(out, bytes)
  console.log(`${out}: ${events === null ? '' : `${events}, `}${bytes.length} bytes`)
}

/** Writes the files of the archive into a folder that is new or empty. */
async function exportLog(service: Service, folder: string): Promise<void> {
  const there = await readdir(folder).catch(() => [])
  if (there.length > 0)
    throw new CommandFailure(
      `${folder} is not empty: name a new folder with --out`,
      exitCodes.usage,
    )
  let files = 0
  let size = 0
  const archive = service.chunks(requestOf('getLogArchive'))
  for await (const { path, bytes } of filesOfArchive(archive)) {
    if (!isLogFile(path))
      throw new CommandFailure('The archive has a file that does not belong to a log')
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // A link that somebody put into the folder must not lead to another file being overwritten.
    await writeFile(join(folder, path), bytes, { flag: 'wx' })
    files += 1
    if (path === 'checkpoint') size = sizeOf(Buffer.from(bytes).toString('utf8'))
  }
  console.log(`${folder}: ${countWords(size, 'event')}, ${countWords(files, 'file')}`)
}

async function sizeIn(file: string): Promise<number> {
  return sizeOf(await readFile(file, 'utf8'))
}

function sizeOf(note: string): number {
  return parseCheckpoint(parseNote(note).text).size
}
