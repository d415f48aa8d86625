import { join } from 'node:path'
import { bundleService } from './packages/bundle-service.ts'

/**
 * `bundle-service.ts FOLDER PLACE`: writes the service of this checkout in a few files, which then
 * are moved to PLACE, for `npm start`.
 */
const [, , folder, place] = process.argv
if (folder === undefined || place === undefined) throw new Error('Name the folder and the place')
const entry = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')
await bundleService({ entry, folder, place })
