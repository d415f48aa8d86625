import type { Command } from 'commander'
import { withService } from '../../service/service-options.ts'
import { andAnother } from '../option-values.ts'
import { withExamples } from '../examples.ts'
import type { WitnessOptions } from './witness-log.ts'

/**
 * `countersign audit witness`: remembers the log's checkpoints on another machine, at intervals or
 * as a server.
 */
export function addAuditWitnessCommand(audit: Command): void {
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
