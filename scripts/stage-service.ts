import { resolve } from 'node:path'
import { stageService } from './packages/service-package.ts'

/** `stage-service.ts FOLDER`: what the package `countersign` contains, for the image. */
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('stage-service.ts needs a folder')
await stageService(resolve(folder))
