import path from 'node:path'

const relativeName = /(['"`])(\.{1,2}\/[^'"`\n]+)\1/g
const scriptCode = /\.[cm]?[jt]sx?$/i
const endings = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.node']
const pythonImport = /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(.+)|import[ \t]+(.+))$/gm

/** Whether names of packages in quotes can be packages that it loads. */
export function isScriptCode(file: string): boolean {
  return scriptCode.test(file)
}

/**
 * The files that a code file may load by a relative name (JavaScript) or by an import (Python), as
 * absolute paths that may not exist. A name that is computed is not among them.
 */
export function moduleCandidates(file: string, text: string): readonly string[] {
  if (scriptCode.test(file)) return relativeModules(file, text)
  return file.endsWith('.py') ? pythonModules(file, text) : []
}

function relativeModules(file: string, text: string): string[] {
  return [...text.matchAll(relativeName)].flatMap(([, , name = '']) => {
    const at = path.resolve(path.dirname(file), name)
    const source = at.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
    return [source, ...endings.flatMap((ending) => [at + ending, path.join(at, `index${ending}`)])]
  })
}

function pythonModules(file: string, text: string): string[] {
  const names = [...text.matchAll(pythonImport)].flatMap(([, from, parts = '', list]) =>
    from === undefined
      ? words(list ?? '')
      : [
          from,
          ...words(parts).map((part) => (from.endsWith('.') ? from + part : `${from}.${part}`)),
        ],
  )
  return names.flatMap((name) => {
    const dots = /^\.*/.exec(name)?.[0].length ?? 0
    const folder = path.resolve(path.dirname(file), '../'.repeat(Math.max(0, dots - 1)))
    const parts = name.slice(dots).split('.').filter(Boolean)
    return parts.flatMap((_part, index) => {
      const at = path.join(folder, ...parts.slice(0, index + 1))
      return [`${at}.py`, path.join(at, '__init__.py'), path.join(at, '__main__.py')]
    })
  })
}

/** `a as b, c` and `(a, b)`: the first word of each part. */
function words(list: string): string[] {
  return list.split(',').flatMap((part) => /[.\w]+/.exec(part)?.[0] ?? [])
}
