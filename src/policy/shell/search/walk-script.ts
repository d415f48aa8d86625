import { forEachChild } from 'unbash'
import type { Command, HereDoc, HereString, SyntaxNode, Word } from 'unbash'
import type { Budget } from '../spelling/budget.ts'
import { exactly, type Spelling } from '../spelling/spelling.ts'
import { textsOf, spellWord, type KnownValues } from '../spelling/spell-word.ts'

/** A script's contents at any depth: substitutions, functions, loops, here-documents. */
export interface ScriptParts {
  readonly commands: readonly Command[]
  /** texts that some command may read: here-documents and here-strings */
  readonly inputTexts: readonly string[]
  readonly values: KnownValues
  /** the elements of each array, which may run as a command */
  readonly arrays: readonly (readonly Word[])[]
  /** texts with a substitution, which an index or a transformation of a value may run */
  readonly latentScripts: readonly string[]
  /** substitutions are nested too deeply to be analysed */
  readonly isTooDeep: boolean
  /** files that redirects write to */
  readonly writtenFiles: readonly Word[]
  /** names that forward their arguments: functions, and `set` */
  readonly argumentForwarders: ReadonlySet<string>
}

/** The analysed depth of substitutions; each level makes the parser read all below it. */
const maxNested = 24

/** How often assigned values are expanded in one another. */
const maxRounds = 3

/** Collects a tree's simple commands, the texts they pass on, and values of variables. */
export function walkScript(root: SyntaxNode, budget: Budget): ScriptParts {
  const commands: Command[] = []
  const inputs: (HereDoc | HereString)[] = []
  const assigned: SyntaxNode[] = []
  const arrays: (readonly Word[])[] = []
  const latentScripts: string[] = []
  const argumentForwarders = new Set(['set'])
  const writtenFiles: Word[] = []
  let isTooDeep = false
  const visit = (node: SyntaxNode, depth: number): void => {
    budget.spend(1)
    if (node.type === 'Command') {
      commands.push(node)
      if (node.name !== undefined) latentScripts.push(...node.prefix.flatMap(settingTexts))
    } else if (node.type === 'HereDoc' || node.type === 'HereString') inputs.push(node)
    else if (node.type === 'Assignment' || node.type === 'For' || node.type === 'Select') {
      assigned.push(node)
      if (node.type === 'Assignment' && namesProgram.test(node.name)) {
        latentScripts.push(...settingTexts(node))
      }
    } else if (node.type === 'ArrayValue') arrays.push(node.elements)
    else if (node.type === 'Word') latentScripts.push(...latentTexts(node))
    else if (node.type === 'Redirect' && node.operator.includes('>') && node.target !== undefined) {
      writtenFiles.push(node.target)
    } else if (node.type === 'Function') argumentForwarders.add(node.name.value)
    const isNested = node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution'
    if (isNested && depth >= maxNested) isTooDeep = true
    else forEachChild(node, (child) => visit(child, isNested ? depth + 1 : depth))
  }
  visit(root, 0)
  let knownValues: KnownValues = { values: alwaysKnown, budget }
  for (let round = 0; round < maxRounds && assigned.length > 0; round += 1) {
    knownValues = valuesOf(assigned, knownValues)
  }
  knownValues = withPositional(commands, argumentForwarders, knownValues)
  const texts = inputs.flatMap((node) => textsOfInput(node, knownValues))
  const values = [...knownValues.values.values()].flat().filter(holdsSubstitution)
  return {
    commands,
    inputTexts: texts,
    values: knownValues,
    arrays,
    writtenFiles,
    argumentForwarders,
    latentScripts: [...latentScripts, ...values],
    isTooDeep,
  }
}

/** More values of one variable than this are not followed. */
const maxValues = 128
/** The most spellings of a combined value; with more, the variable stays open. */
const maxJoinedValues = 16

/** The field separators, unless the script sets others. */
const alwaysKnown: KnownValues['values'] = new Map([['IFS', [' ']]])

function valuesOf(nodes: readonly SyntaxNode[], knownValues: KnownValues): KnownValues {
  const values = new Map<string, string[]>([['IFS', [' ']]])
  const add = (name: string, spelled: readonly Spelling[]): void => {
    const list = values.get(name) ?? []
    for (const word of spelled) {
      for (const text of textsOf(word)) {
        if (!list.includes(text) && !(word.isOpen && list.length >= maxJoinedValues))
          list.push(text)
      }
    }
    // No text of the script is dropped: the budget is exceeded instead.
    knownValues.budget.spend(list.length > maxValues ? Infinity : list.length)
    values.set(name, list)
  }
  for (const node of nodes) {
    if (knownValues.budget.isSpent) break
    if (node.type === 'Assignment') {
      const words = node.value.type === 'Word' ? [node.value] : node.value.elements
      const spellings = words.flatMap((word) => spellWord(word, knownValues))
      add(node.name, spellings)
      if (node.value.type === 'ArrayValue') {
        add(node.name, [exactly(spellings.map((word) => textsOf(word)[0] ?? '').join(' '))])
      }
    } else if (node.type === 'For' || node.type === 'Select') {
      add(
        node.name.value,
        (node.wordlist ?? []).flatMap((word) => spellWord(word, knownValues)),
      )
    }
  }
  return { values, budget: knownValues.budget }
}

function textsOfInput(node: HereDoc | HereString, knownValues: KnownValues): readonly string[] {
  if (node.type === 'HereDoc') return [node.body.text]
  return node.target === undefined ? [] : spellWord(node.target, knownValues).flatMap(textsOf)
}

/** The values of `$1` and `"$@"`, which functions and `set` set: words of all commands. */
function withPositional(
  commands: readonly Command[],
  argumentForwarders: ReadonlySet<string>,
  knownValues: KnownValues,
): KnownValues {
  const forwardingCalls = commands.filter((node) => argumentForwarders.has(node.name?.value ?? ''))
  if (forwardingCalls.length === 0) return knownValues
  const lists = forwardingCalls.map((node) =>
    node.args.flatMap((word) =>
      word.type === 'Word'
        ? spellWord(word, knownValues).map((spelling) => textsOf(spelling)[0] ?? '')
        : [word.text],
    ),
  )
  const values = new Map(knownValues.values)
  const texts = [...new Set(lists.flat())].slice(0, maxValues)
  for (const name of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) values.set(name, texts)
  const joined = lists.flatMap((words) => [words.join(' '), words.slice(1).join(' ')])
  for (const name of ['@', '*']) values.set(name, [...joined, ...texts].slice(0, maxValues))
  return { values, budget: knownValues.budget }
}

/** Variables whose value some program runs. */
const namesProgram = /PAGER|EDITOR|VISUAL|COMMAND|SSH|ASKPASS|BROWSER|SHELL|OPEN|DIFF|^GIT_|^PS4$/

/** `GIT_PAGER='git push' git log`: what a variable of the environment may make a program run. */
function settingTexts(node: SyntaxNode): readonly string[] {
  if (node.type !== 'Assignment' || node.value.type !== 'Word') return []
  return /\s/.test(node.value.value) ? [node.value.value.replace(/^!/, '')] : []
}

function holdsSubstitution(text: string): boolean {
  return text.includes('$(') || text.includes('`')
}

/**
 * `'a[$(x)]'` as an argument of `test -v`, `printf -v` and similar commands: the index is run. The
 * parser reads `2<(x)` as a plain word.
 */
function latentTexts(word: Word): readonly string[] {
  const isIndexed = word.text.includes('[') && holdsSubstitution(word.value)
  const texts = isIndexed ? [word.value] : []
  if (word.parts !== undefined || !/[<>]\(/.test(word.text)) return texts
  return [...texts, word.text.replace(/^[^(]*\(/, '').replace(/\)[^)]*$/, '')]
}
