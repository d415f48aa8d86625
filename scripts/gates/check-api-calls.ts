import { join } from 'node:path'
import { checkApiCalls } from './api-calls.ts'
import { projectRoot } from './layers.ts'

/** A lower bound: if fewer calls are found, the check has missed files. */
const fewestCalls = 100

const { calls, problems } = await checkApiCalls(join(projectRoot, 'src'), ['ui', 'cli', 'client'])
for (const problem of problems) console.error(problem)
console.log(`${calls} calls of the API, ${problems.length} problems`)
if (calls < fewestCalls) console.error(`found fewer than ${fewestCalls} calls`)
if (problems.length > 0 || calls < fewestCalls) process.exitCode = 1
