import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readKeyFiles } from './key-files.ts'
import { contentsOf } from './manifest.ts'
import { readBackup } from './read-backup.ts'
import { withDatabase, type FolderChoice } from './with-database.ts'
import { writeBackup } from './write-backup.ts'

/**
 * `countersign backup`: writes the database in one snapshot and the keys to one new file, also
 * while the service runs.
 */
export async function runBackup(
  options: FolderChoice & { out: string; withPrivateKeys?: boolean },
): Promise<void> {
  const file = resolve(options.out)
  const privateToo = options.withPrivateKeys === true
  const log = (sentence: string) => console.error(sentence)
  await withDatabase(options, { isToBeFilled: false, log }, async (db, { folders }) => {
    const readKeys = () => readKeyFiles(folders.dataDir, { privateToo })
    await writeBackup(db, { file, readKeys })
    // Printed only for a backup that can be read again.
    const { manifest } = await readBackup(file)
    const { size } = await stat(file)
    console.log(`${file}: ${contentsOf(manifest)}, ${size} bytes`)
    console.log(
      privateToo
        ? 'It contains the private keys: whoever can read it can sign in the name of this installation.'
        : `It does not contain the private keys: keep a copy of ${folders.dataDir}/keys in another place.`,
    )
    console.log('It does not contain the project folder either: keep that in version control.')
  })
}
