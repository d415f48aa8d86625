import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packPackages, packPython } from './packages/packages.ts'
import { packService } from './packages/service-package.ts'
import { writeSboms } from './packages/sboms.ts'

const help = `npm run release -- --out DIR [--repository URL]

Builds the service and every published package, and writes their tarballs, the wheel and the source distribution of the
Python client, and a bill of materials of each (CycloneDX) into DIR. Needs python3, and no network. With --repository each package names the repository
(https://…) from which it is built, as npm demands for provenance.`

const { values } = parseArgs({
  options: { out: { type: 'string' }, repository: { type: 'string' }, help: { type: 'boolean' } },
})
const { repository } = values
if (values.help === true) {
  console.log(help)
} else if (values.out === undefined) {
  console.error(`--out is missing.\n\n${help}`)
  process.exitCode = 2
} else if (repository !== undefined && !/^https:\/\/[^\s/]+\/\S+$/.test(repository)) {
  console.error(`--repository is not the address of a repository: ${repository}\n\n${help}`)
  process.exitCode = 2
} else {
  // Of the folder in which npm was called, not of the checkout.
  const out = resolve(process.env['INIT_CWD'] ?? '.', values.out)
  for (const { filename, size } of [
    ...(await packPackages(out, repository)),
    await packService(out, repository),
  ]) {
    console.log(`${resolve(out, filename)} (${Math.round(size / 1024)} KB)`)
  }
  for (const file of Object.values(await packPython(out))) console.log(resolve(out, file))
  for (const file of await writeSboms(out)) console.log(resolve(out, file))
}
