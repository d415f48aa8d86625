import { writeFile } from 'node:fs/promises'
import { bundleWorkflows } from './bundle-workflows.ts'

/** Run as a process: bundles the workflows into the file that its argument names. */
const [, , path] = process.argv
if (path === undefined) throw new Error('Name the file')
await writeFile(path, (await bundleWorkflows()).code)
