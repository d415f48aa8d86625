import { projectRoot } from './layers.ts'
import { checkVocabularies } from './vocabularies.ts'

/** A lower bound: if fewer lists are found, the check has missed files. */
const fewestLists = 20

const { lists, problems } = await checkVocabularies(projectRoot)
for (const problem of problems) console.error(problem)
console.log(`${lists} vocabularies, ${problems.length} written more than once`)
if (lists < fewestLists) console.error(`found fewer than ${fewestLists} vocabularies`)
if (problems.length > 0 || lists < fewestLists) process.exitCode = 1
