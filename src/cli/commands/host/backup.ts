import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { withFolders, type FolderOptions } from '../../service/service-options.ts'

/**
 * `countersign backup` and `countersign restore`: the database and the keys of an installation, in
 * one file.
 */
export function addBackupCommands(program: Command): void {
  const backup = withFolders(program.command('backup'))
    .description('save the database and the public keys in one file; the service may run meanwhile')
    .requiredOption('--out <file>', 'the new file')
    .option('--with-private-keys', 'also save the private keys: whoever has the file can then sign')
    .action(async (options: FolderOptions & { out: string; withPrivateKeys?: boolean }) => {
      const { runBackup } = await import('#runtime/backup/run-backup.ts')
      await runBackup(options)
    })
  withExamples(backup, [
    'backup --out monday.backup',
    'backup --out all.backup --with-private-keys',
  ])
  const restore = withFolders(program.command('restore'))
    .description('fill an empty database from a backup; nothing is overwritten')
    .argument('<file>', 'a file that "countersign backup" wrote')
    .option('--check', 'only read the file, and report whether it is complete')
    .action(async (file: string, options: FolderOptions & { check?: boolean }) => {
      const { runRestore } = await import('#runtime/backup/run-restore.ts')
      await runRestore(file, options)
    })
  withExamples(restore, [
    'restore monday.backup --check',
    'restore monday.backup --data ../new-data',
  ])
}
