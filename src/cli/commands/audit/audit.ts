import type { Command } from 'commander'
import type { AuditEventView } from '#api/schemas/audit/audit.ts'
import { eventSentence, noSubjects, type AuditSubjects } from '#domain/text/event-sentence.ts'
import { connect } from '../../service/connect.ts'
import {
  pageOf,
  type PagingOptions,
  printPage,
  withPaging,
  withService,
  withFolders,
  type JsonOptions,
} from '../../service/service-options.ts'
import { addAuditExportCommand } from './audit-export.ts'
import { filtersOf, withFilters, type FilterOptions } from './audit-filters.ts'
import { withExamples } from '../examples.ts'
import { parseHandovers } from '#evidence/note/log-keys.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { jsonText } from '../../terminal/json-text.ts'
import { andAnother } from '../option-values.ts'
import type { WitnessOptions } from './witness-log.ts'
import type { VerifyOptions } from './verify-evidence.ts'

/** `countersign audit [tail|export|key|witness|verify]`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('read, export and verify the audit events')
  const newest = withPaging(withFilters(audit.command('tail', { isDefault: true })))
    .description('print the newest events')
    .action(tail)
  withExamples(newest, ['audit', 'audit tail --type decision.recorded --actor grace@example.com'])
  addAuditExportCommand(audit)
  addAuditKeyCommand(audit)
  addAuditWitnessCommand(audit)
  addAuditVerifyCommand(audit)
}

async function tail(options: FilterOptions & PagingOptions): Promise<void> {
  const service = await connect(options)
  const query = { ...filtersOf(options), ...pageOf(options) }
  if (options.json === true) {
    return console.log(jsonText(await service.call('listAuditEvents', { query })))
  }
  const list = await service.call('listAuditEvents', { query: { ...query, about: 'true' } })
  const about = list.about ?? noSubjects
  const page = { ...list, items: list.items.toReversed() }
  printPage(
    page,
    {},
    {
      at: (event) => event.at,
      type: (event) => event.type,
      channel: (event) => event.channel,
      what: (event) => sentenceOf(event, about),
    },
    'No events that you may see.',
  )
}

function sentenceOf(event: AuditEventView, about: AuditSubjects): string {
  const parts = eventSentence(event, about)
  return parts.map(({ as, text }) => (as === 'words' ? `“${text}”` : text)).join(' ')
}

interface KeyOptions extends JsonOptions {
  readonly chain?: boolean
}

/**
 * `countersign audit key`: prints the key, which whoever verifies the log later must store outside
 * of the service.
 */
function addAuditKeyCommand(audit: Command): void {
  const key = withService(audit.command('key'))
    .description('print the public key of the audit log, which verifies its checkpoints')
    .option('--chain', 'also print the earlier keys, and how each was replaced')
    .option('--json', 'also print the newest checkpoint, as JSON')
    .action(printKey)
  withExamples(key, ['audit key', 'audit key --chain', 'audit key --json'])
}

async function printKey(options: KeyOptions): Promise<void> {
  const service = await connect(options)
  const checkpoint = await service.call('getCheckpoint')
  if (options.json === true) return console.log(jsonText(checkpoint))
  if (options.chain !== true) return console.log(checkpoint.vkey)
  const handovers = parseHandovers(checkpoint.handovers)
  const [first] = handovers
  const beginning = first === undefined ? checkpoint.vkey : formatKey(first.before)
  console.log(`from the beginning\n  ${beginning}`)
  for (const { size, after, isVouched } of handovers) {
    const how = isVouched ? 'signed by the previous key' : 'NOT signed by the previous key'
    console.log(`from event ${size - 1}, ${how}\n  ${formatKey(after)}`)
  }
}

function formatKey(key: Parameters<typeof formatVerifierKey>[0] | null): string {
  return key === null ? 'a key that is no longer known' : formatVerifierKey(key)
}

/**
 * `countersign audit witness`: remembers the log's checkpoints on another machine, at intervals or
 * as a server.
 */
function addAuditWitnessCommand(audit: Command): void {
  const witness = withService(audit.command('witness'))
    .description(
      'cosign and store the newest checkpoint if it continues the last one; with --listen, the checkpoints that the service sends',
    )
    .requiredOption(
      '--key <vkey>',
      'the log’s public key, as "audit key" printed it; with --listen, repeat the option for the key that replaced it',
      andAnother,
    )
    .requiredOption(
      '--dir <folder>',
      'the folder of the witness: its own key, and the notes that it cosigned',
    )
    .option(
      '--listen <address>',
      'serve POST /add-checkpoint (C2SP tlog-witness) at HOST:PORT until it is stopped',
    )
    .option('--tls-cert <file>', 'with --listen: the certificate, with its chain, in PEM')
    .option('--tls-key <file>', 'with --listen: its private key in PEM')
    .option('--behind-proxy', 'with --listen: a proxy in front of it ends TLS')
    .action(async (options: WitnessOptions) => {
      const { witnessLog } = await import('./witness-log.ts')
      await witnessLog(options)
    })
  withExamples(witness, [
    'audit witness --url https://approvals.example.com --key "$VKEY" --dir ~/witness',
    'audit witness --listen 127.0.0.1:4480 --key "$VKEY" --dir ~/witness',
  ])
}

/**
 * `countersign audit verify`: needs no service, database, network or project. It accepts the
 * options of folders like every command, and does not read them.
 */
function addAuditVerifyCommand(audit: Command): void {
  const verify = withFolders(audit.command('verify'))
    .description(
      'verify a bundle or a full export offline; the exit code is 0 only if every check holds',
    )
    .argument('<evidence>', 'a bundle (file) or a full export (folder)')
    .requiredOption(
      '--key <vkey>',
      "the log's public key, as audit key prints it, or a file with it",
    )
    .option('--since <file>', 'a checkpoint that you stored: the log must continue it')
    .option(
      '--witness <vkey>',
      'the key of a witness, or a file with it: the witness must have cosigned that checkpoint, or all of the evidence except the last minutes; repeat the option for further witnesses',
      andAnother,
    )
    .option('--witness-quorum <n>', 'how many of the witnesses suffice (default: all)')
    .option('--json', 'print JSON')
    .action(async (evidence: string, options: VerifyOptions) => {
      const { verifyEvidence } = await import('./verify-evidence.ts')
      verifyEvidence(evidence, options)
    })
  withExamples(verify, [
    'audit verify request-12.json --key log.vkey',
    'audit verify trail/ --key log.vkey --since kept-checkpoint',
    'audit verify trail/ --key log.vkey --since witness/checkpoint-812.txt --witness witness.vkey',
    'audit verify trail/ --key log.vkey --witness one.vkey --witness two.vkey --witness-quorum 1',
  ])
}
