import type { Command } from 'commander'
import type { SignedCheckpointView } from '../../api/schemas/audit-log.ts'
import { connect } from '../service/connect.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { withExamples } from './examples.ts'

/** `countersign audit key`: what one who verifies later keeps now, apart from the service. */
export function addAuditKeyCommand(audit: Command): void {
  const key = withService(audit.command('key'))
    .description('the public key of the audit log, to verify its checkpoints with')
    .option('--json', 'print the newest checkpoint too, as JSON')
    .action(printKey)
  withExamples(key, ['audit key', 'audit key --json'])
}

async function printKey(options: ServiceOptions & { json?: boolean }): Promise<void> {
  const service = await connect(options)
  const signed = await service.get<SignedCheckpointView>('/v1/audit/checkpoint')
  console.log(options.json === true ? JSON.stringify(signed) : signed.vkey)
}
