import type { Command } from 'commander'
import type { SignedCheckpointView } from '../../../api/schemas/audit/audit-log.ts'
import { MalformedEvidence } from '../../../evidence/malformed.ts'
import { parseCheckpoint } from '../../../evidence/note/checkpoint.ts'
import { logKeysOf, parseHandovers } from '../../../evidence/note/log-keys.ts'
import { formatVerifierKey, parseVerifierKey } from '../../../evidence/note/note-key.ts'
import { parseNote } from '../../../evidence/note/signed-note.ts'
import {
  witnessCheckpoint,
  type WitnessRefusal,
} from '../../../evidence/note/witness-checkpoint.ts'
import { CommandFailure, exitCodes } from '../../exit-codes.ts'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { keepContradiction, keepNote, openWitnessFolder } from '../../witness/witness-folder.ts'
import { withExamples } from '../examples.ts'

interface WitnessOptions extends ServiceOptions {
  key: string
  dir: string
}

/** `countersign audit witness`: run elsewhere now and then, it remembers what the log was. */
export function addAuditWitnessCommand(audit: Command): void {
  const witness = withService(audit.command('witness'))
    .description('cosign the newest checkpoint when it goes on from the last one seen, and keep it')
    .requiredOption('--key <vkey>', 'the log’s public key, as "audit key" once printed it')
    .requiredOption('--dir <folder>', 'what the witness keeps: its own key, every note it cosigned')
    .action(witnessLog)
  withExamples(witness, [
    'audit witness --url https://approvals.example.com --key "$VKEY" --dir ~/witness',
  ])
}

const sentences: Readonly<Record<WitnessRefusal, string>> = {
  behind: 'The log has fewer events than were witnessed: an older copy replaced it',
  forked: 'The log signed another tree of that size than the one that was witnessed',
  unproven: 'The log does not go on from the tree that was witnessed',
}

async function witnessLog(options: WitnessOptions): Promise<void> {
  const log = keyOf(options.key)
  const { signer, last } = await openWitnessFolder(options.dir)
  const seen = last === null ? null : parseCheckpoint(parseNote(last).text)
  const service = await connect(options)
  const {
    checkpoint: note,
    consistency = [],
    handovers,
  } = await service.get<SignedCheckpointView>(`/v1/audit/checkpoint?since=${seen?.size ?? 0}`)
  const proof = consistency.map((hash) => Buffer.from(hash, 'base64'))
  const atSeconds = Math.floor(Date.now() / 1000)
  const witnessed = refusing(() =>
    witnessCheckpoint({
      log: logKeysOf(log, parseHandovers(handovers)),
      last: seen,
      note,
      proof,
      signer,
      atSeconds,
    }),
  )
  const { size } = witnessed.checkpoint
  if ('refusal' in witnessed) {
    const file = await keepContradiction(options.dir, size, note)
    throw new CommandFailure(`${sentences[witnessed.refusal]}. What it said is kept in ${file}`)
  }
  const file = await keepNote(options.dir, size, witnessed.note)
  console.log(`${size} events, cosigned as ${formatVerifierKey(signer.key)}: ${file}`)
}

function keyOf(line: string) {
  try {
    return parseVerifierKey(line)
  } catch (cause) {
    throw new CommandFailure(`--key: ${sentenceOf(cause)}`, exitCodes.usage, { cause })
  }
}

/** A checkpoint that the log's key did not sign ends the command with that sentence. */
function refusing<T>(witness: () => T): T {
  try {
    return witness()
  } catch (cause) {
    throw new CommandFailure(sentenceOf(cause), exitCodes.failed, { cause })
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof MalformedEvidence) return error.message
  throw error
}
