import { checkLayers, projectRoot } from './layers.ts'

/** A lower bound: if fewer modules are found, the check has missed files. */
const fewestModules = 20

const { modules, violations } = await checkLayers(projectRoot)
for (const violation of violations) console.error(violation)
console.log(`${modules} modules, ${violations.length} forbidden imports`)
if (modules < fewestModules) console.error(`looked at fewer than ${fewestModules} modules`)
if (violations.length > 0 || modules < fewestModules) process.exitCode = 1
