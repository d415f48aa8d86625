import { join } from 'node:path'
import { exemptions } from './verb-exemptions.ts'
import { checkVerbs } from './verbs.ts'

/** Fewer verbs than the project has ever had mean that the check looked past them. */
const fewestVerbs = 30

const folder = join(import.meta.dirname, '..', '..', 'src', 'services')
const { verbs, problems } = await checkVerbs(folder, exemptions)
for (const problem of problems) console.error(problem)
console.log(`${verbs} mutating verbs, ${problems.length} problems`)
if (verbs < fewestVerbs) console.error(`found fewer than ${fewestVerbs} mutating verbs`)
if (problems.length > 0 || verbs < fewestVerbs) process.exitCode = 1
