import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** The fields of an output chunk that decide whether the first page loads it. */
export interface BuiltChunk {
  readonly fileName: string
  readonly code: string
  readonly isEntry: boolean
  /** static imports: fetched before the chunk runs */
  readonly imports: readonly string[]
  /** style sheets of its modules, by their file names */
  readonly styles: readonly string[]
  /** paths of the source modules that it holds */
  readonly modules: readonly string[]
}

/**
 * Gzipped bytes of script that the first page (entry, its static imports, and the named lazy pages
 * with theirs) fetches, and the style sheets that come with them.
 *
 * @throws if no chunk holds one of the pages: its size would not be counted.
 */
export function firstPageBytes(
  chunks: readonly BuiltChunk[],
  lazyPages: readonly string[],
): { bytes: number; files: string[]; styles: string[]; modules: string[] } {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const reached = new Set<string>()
  const visit = (fileName: string): void => {
    const chunk = byName.get(fileName)
    if (chunk === undefined || reached.has(fileName)) return
    reached.add(fileName)
    chunk.imports.forEach(visit)
  }
  for (const chunk of chunks) if (chunk.isEntry) visit(chunk.fileName)
  for (const page of lazyPages) {
    const chunk = chunks.find(({ modules }) => holds(modules, page))
    if (chunk === undefined) throw new Error(`no file of the dashboard holds ${page}`)
    visit(chunk.fileName)
  }
  const files = [...reached].toSorted()
  const bytes = files.reduce((sum, name) => sum + gzipSync(byName.get(name)?.code ?? '').length, 0)
  const styles = new Set(files.flatMap((name) => byName.get(name)?.styles ?? []))
  const modules = files.flatMap((name) => byName.get(name)?.modules ?? [])
  return { bytes, files, styles: [...styles].toSorted(), modules }
}

/** Whether one of these modules is the one whose path ends like this. */
function holds(modules: readonly string[], path: string): boolean {
  return modules.some((module) => module.endsWith(path))
}

/**
 * Fails the build when one of the pages, by their paths, needs more script than its `maxGzipBytes`,
 * more style than `maxStyleGzipBytes` or a module of `onDemand`, and when the fonts together have
 * more than `maxFontBytes`.
 */
export function scriptBudget(budget: {
  maxGzipBytes: Readonly<Record<string, number>>
  maxStyleGzipBytes: number
  maxFontBytes: number
  /** paths of modules that are loaded when they are needed */
  onDemand: readonly string[]
}): Plugin {
  const { maxGzipBytes, maxStyleGzipBytes, maxFontBytes, onDemand } = budget
  return {
    name: 'countersign:script-budget',
    apply: 'build',
    writeBundle(_options, bundle) {
      const chunks = Object.values(bundle).flatMap((output): BuiltChunk[] =>
        output.type === 'chunk'
          ? [
              {
                fileName: output.fileName,
                code: output.code,
                isEntry: output.isEntry,
                imports: output.imports,
                styles: [...(output.viteMetadata?.importedCss ?? [])],
                modules: output.moduleIds,
              },
            ]
          : [],
      )
      const fonts = Object.values(bundle).flatMap((output) =>
        output.type === 'asset' && output.fileName.endsWith('.woff2') ? [output.source] : [],
      )
      const fontBytes = fonts.reduce((sum, source) => sum + source.length, 0)
      if (fonts.length === 0 || fontBytes > maxFontBytes) {
        this.error(`${fonts.length} fonts have ${(fontBytes / 1000).toFixed(1)} kB`)
      }
      for (const path of onDemand) {
        if (!chunks.some(({ modules }) => holds(modules, path)))
          this.error(`no file of the dashboard holds ${path}`)
      }
      for (const [page, maxBytes] of Object.entries(maxGzipBytes)) {
        const { bytes, files, styles, modules } = firstPageBytes(chunks, [page])
        const early = onDemand.filter((path) => holds(modules, path))
        if (early.length > 0) this.error(`${page} loads ${early.join(', ')} before it is needed`)
        const kilobytes = (bytes / 1000).toFixed(1)
        if (bytes > maxBytes) {
          this.error(`${page} needs ${kilobytes} kB of compressed script: ${files.join(', ')}`)
        }
        const styleBytes = styles.reduce((sum, name) => {
          const sheet = bundle[name]
          return sum + (sheet?.type === 'asset' ? gzipSync(sheet.source).length : 0)
        }, 0)
        const styleKilobytes = (styleBytes / 1000).toFixed(1)
        if (styleBytes === 0 || styleBytes > maxStyleGzipBytes) {
          this.error(`${page} needs ${styleKilobytes} kB of compressed style: ${styles.join(', ')}`)
        }
        this.info(
          `${page}: ${kilobytes} kB of compressed script, ${styleKilobytes} kB of compressed style`,
        )
      }
    },
  }
}
