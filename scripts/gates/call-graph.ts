import { parseFile } from '@swc/core'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** One function declared at the top of a module. */
export interface DeclaredFunction {
  name: string
  /** path below the folder that was read */
  file: string
  isExported: boolean
  /** names of the types of its parameters, `Caller` for instance */
  parameterTypes: string[]
  /** what its body calls: `requireRight`, or `ctx.db.updateTable` for a method */
  calls: string[]
}

/** Functions of a folder, and what a call in one of them leads to. */
export interface CallGraph {
  functions: DeclaredFunction[]
  /** The function of this folder that a bare name means in that file; `undefined` for others. */
  resolve(file: string, name: string): DeclaredFunction | undefined
}

type Node = Record<string, unknown>

/** Reads every module below `folder` but its tests. Function expressions belong to what holds them. */
export async function readCallGraph(folder: string): Promise<CallGraph> {
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => /^[a-z-]+\.ts$/.test(basename(name))).toSorted()
  const functions: DeclaredFunction[] = []
  const imports = new Map<string, { file: string; name: string }>()
  for (const file of files) {
    const tree = await parseFile(join(folder, file), { syntax: 'typescript', target: 'es2024' })
    for (const item of tree.body as unknown as Node[]) {
      if (item['type'] === 'ImportDeclaration') {
        for (const [local, origin] of importedNames(folder, file, item))
          imports.set(`${file} ${local}`, origin)
      } else functions.push(...declared(file, item))
    }
  }
  const byName = new Map(functions.map((one) => [`${one.file} ${one.name}`, one]))
  return {
    functions,
    resolve(file, name) {
      const origin = imports.get(`${file} ${name}`) ?? { file, name }
      return byName.get(`${origin.file} ${origin.name}`)
    },
  }
}

/** Whether `holds` is true of the function or of one it leads to, calls of calls included. */
export function leadsTo(
  graph: CallGraph,
  start: DeclaredFunction,
  holds: (call: string, caller: DeclaredFunction) => boolean,
  seen: Set<DeclaredFunction> = new Set(),
): boolean {
  if (seen.has(start)) return false
  seen.add(start)
  return start.calls.some((call) => {
    if (holds(call, start)) return true
    const next = graph.resolve(start.file, call)
    return next !== undefined && leadsTo(graph, next, holds, seen)
  })
}

function declared(file: string, item: Node): DeclaredFunction[] {
  const isExported = item['type'] === 'ExportDeclaration'
  const declaration = (isExported ? item['declaration'] : item) as Node
  if (declaration['type'] !== 'FunctionDeclaration') return []
  const parameters = declaration['params'] as Node[]
  const calls: string[] = []
  visit(declaration, (node) => {
    if (node['type'] === 'CallExpression') calls.push(written(node['callee'] as Node))
  })
  return [
    {
      name: (declaration['identifier'] as Node)['value'] as string,
      file,
      isExported,
      parameterTypes: parameters.map(typeName),
      calls,
    },
  ]
}

function importedNames(folder: string, file: string, item: Node): [string, DeclaredName][] {
  const specifier = (item['source'] as Node)['value'] as string
  if (!specifier.startsWith('.')) return []
  const origin = relative(folder, resolve(folder, dirname(file), specifier))
  return (item['specifiers'] as Node[]).map((one) => {
    const local = (one['local'] as Node)['value'] as string
    const imported = one['imported'] as Node | null | undefined
    return [local, { file: origin, name: (imported?.['value'] as string | undefined) ?? local }]
  })
}

type DeclaredName = { file: string; name: string }

function typeName(parameter: Node): string {
  const annotation = (parameter['pat'] as Node)['typeAnnotation'] as Node | null | undefined
  const type = annotation?.['typeAnnotation'] as Node | undefined
  return ((type?.['typeName'] as Node | undefined)?.['value'] as string | undefined) ?? ''
}

/** `ctx.db.updateTable` for the callee of `ctx.db.updateTable(…)`; calls in between are left out. */
function written(node: Node): string {
  if (node['type'] === 'Identifier') return node['value'] as string
  if (node['type'] === 'CallExpression') return written(node['callee'] as Node)
  if (node['type'] === 'OptionalChainingExpression') return written(node['base'] as Node)
  if (node['type'] !== 'MemberExpression') return ''
  const property = (node['property'] as Node)['value'] as string | undefined
  return `${written(node['object'] as Node)}.${property ?? ''}`
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) visit(one, see)
  else if (typeof node === 'object' && node !== null) {
    see(node as Node)
    for (const value of Object.values(node)) visit(value, see)
  }
}
