import { wordSet } from '#domain/text/word-set.ts'
import { programNamed } from '#policy/shell/programs/registry.ts'
import { bareName } from './file-role.ts'
import type { WordTexts } from './named-words.ts'

const nodes = wordSet('node nodejs bun tsx ts-node')
const pythons = wordSet('python python2 python3 pypy pypy3')

/** The file that each build tool reads in its folder, unless an option names another one. */
const buildFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['make', ['GNUmakefile', 'makefile', 'Makefile']],
  ['gmake', ['GNUmakefile', 'makefile', 'Makefile']],
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['rake', ['Rakefile', 'rakefile']],
])
const packageRunners = wordSet('npm pnpm yarn bun')
/** Commands of these that run scripts of package.json; other commands may change that file. */
const scriptCommands = wordSet('test t tst run run-script rum urn start stop restart')
/** These run any word as a script, except for the commands below, which change packages. */
const scriptTakers = wordSet('pnpm yarn bun')
const packageChanges = wordSet('add remove rm uninstall up update upgrade install i link unlink')

/**
 * Other names under which an interpreter looks for the file in the word at `index`: `node run` may
 * run `run.js`, `python3 -m a.b` `a/b.py`, and both a file in a folder.
 */
export function otherNames(words: WordTexts, index: number): readonly string[] {
  const runners = words.slice(0, index).flatMap((texts) => texts.map(bareName))
  const texts = (words[index] ?? []).filter((text) => !text.startsWith('-'))
  const names: string[] = []
  if (runners.some((name) => nodes.has(name))) {
    names.push(...texts.flatMap((at) => [`${at}.js`, `${at}/package.json`, `${at}/index.js`]))
  }
  if (runners.some((name) => pythons.has(name))) {
    const isModule = words[index - 1]?.some((text) => /^-[A-Za-z]*m$/.test(text)) === true
    const places = isModule ? texts.map((name) => name.replaceAll('.', '/')) : texts
    names.push(...places.map((at) => `${at}/__main__.py`))
    if (isModule) names.push(...places.flatMap((at) => [`${at}.py`, `${at}/__init__.py`]))
  }
  return names
}

/** Files that the program of a command, or one behind a wrapper, reads without a word for them. */
export function unnamedFiles(words: WordTexts): readonly string[] {
  const names = words.map((texts) => bareName(texts[0] ?? ''))
  const isWrapped = programNamed(names[0] ?? '')?.runs === 'command'
  return names.slice(0, isWrapped ? undefined : 1).flatMap((name, at) => {
    const rest = names.slice(at + 1)
    const isScript =
      (packageRunners.has(name) && rest.some((word) => scriptCommands.has(word))) ||
      (scriptTakers.has(name) && !rest.some((word) => packageChanges.has(word))) ||
      (nodes.has(name) && rest.some((word) => word.startsWith('--run')))
    return isScript ? ['package.json'] : (buildFiles.get(name) ?? [])
  })
}
