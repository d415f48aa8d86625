import type { Command } from 'commander'
import type { SignedCheckpointView } from '../../../api/schemas/audit/audit-log.ts'
import { parseHandovers } from '../../../evidence/note/log-keys.ts'
import { formatVerifierKey } from '../../../evidence/note/note-key.ts'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

interface KeyOptions extends ServiceOptions {
  json?: boolean
  chain?: boolean
}

/** `countersign audit key`: what one who verifies later keeps now, apart from the service. */
export function addAuditKeyCommand(audit: Command): void {
  const key = withService(audit.command('key'))
    .description('the public key of the audit log, to verify its checkpoints with')
    .option('--chain', 'print the keys before it too, and how each took over')
    .option('--json', 'print the newest checkpoint too, as JSON')
    .action(printKey)
  withExamples(key, ['audit key', 'audit key --chain', 'audit key --json'])
}

async function printKey(options: KeyOptions): Promise<void> {
  const service = await connect(options)
  const signed = await service.get<SignedCheckpointView>('/v1/audit/checkpoint')
  if (options.json === true) return console.log(JSON.stringify(signed))
  if (options.chain !== true) return console.log(signed.vkey)
  const handovers = parseHandovers(signed.handovers)
  const [first] = handovers
  const beginning = first === undefined ? signed.vkey : formatKey(first.before)
  console.log(`from the beginning\n  ${beginning}`)
  for (const { size, after, isVouched } of handovers) {
    const how = isVouched ? 'signed by the key before' : 'NOT signed by the key before'
    console.log(`from event ${size - 1}, ${how}\n  ${formatKey(after)}`)
  }
}

function formatKey(key: Parameters<typeof formatVerifierKey>[0] | null): string {
  return key === null ? 'a key that is not known any more' : formatVerifierKey(key)
}
