import type { Command } from 'commander'
import { withFolders } from '../../service/service-options.ts'
import { andAnother } from '../option-values.ts'
import { withExamples } from '../examples.ts'
import type { VerifyOptions } from './verify-evidence.ts'

/**
 * `countersign audit verify`: needs no service, no database, no network and no project. It takes
 * the folders like every command and reads neither.
 */
export function addAuditVerifyCommand(audit: Command): void {
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
