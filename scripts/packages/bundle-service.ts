import { readFile, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { bundledLibraries } from '#runtime/supervisor/service-bundle.ts'
import { escapeBeyondLatin1 } from '#runtime/temporal/bundle-workflows.ts'

export interface BundlePlaces {
  /** the module of the command, in `src/cli` of a checkout */
  readonly entry: string
  /** where the files are written; the entry among them is `main.js` */
  readonly folder: string
  /** the folder below that of `src` into which they are moved afterwards */
  readonly place: string
}

/**
 * Bundles the command `countersign`. What a command imports when it runs is a file of its own.
 * Modules know where their source is, so that they find the threads and programs beside it, which
 * are not bundled. Returns the paths of the modules in it.
 */
export async function bundleService({ entry, folder, place }: BundlePlaces): Promise<string[]> {
  await using bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: (name) => !/^[.#/]/.test(name) && !bundledLibraries.has(name),
    plugins: [
      {
        name: 'places of the sources',
        transform: (code, id) =>
          isAbsolute(id) && !id.includes('/node_modules/') && code.includes('import.meta')
            ? withPlaceOfSource(code, relative(place, id))
            : null,
      },
    ],
  })
  const { output } = await bundle.write({ dir: folder, format: 'esm', comments: false })
  for (const { fileName } of output) {
    const file = join(folder, fileName)
    await writeFile(file, escapeBeyondLatin1(await readFile(file, 'utf8')))
  }
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/** The module, which then is in a file of the bundle, with the address of its source. */
function withPlaceOfSource(code: string, path: string): string {
  const address = `new URL(${JSON.stringify(path)}, import.meta.url).href`
  const parent = `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`
  return code
    .replaceAll('import.meta.dirname', 'import.meta.PLACE')
    .replaceAll('import.meta.url', address)
    .replaceAll('import.meta.PLACE', parent)
}
