import { leadsTo, readCallGraph, type CallGraph, type DeclaredFunction } from './call-graph.ts'

/**
 * Calls that refuse, or answer for, one caller: what authorisation ends in. A new one belongs here
 * only when it looks at who calls, and its own test shows whom it refuses.
 */
const authorisers = new Set([
  'requireRight',
  'hasRight',
  'judgeEligibility',
  'requireQueuePerson',
  'maySteer',
  'requireProgram',
])

const writingMethods = /^ctx\.db\.(insertInto|updateTable|deleteFrom|mergeInto|transaction)$/

/** What a mutating verb owes; `caller` is being told on whose behalf it acts. */
export type Duty = 'caller' | 'authorise' | 'audit'

/** Reasons by verb and duty, for verbs that may go without. */
export type Exemptions = Readonly<Record<string, Partial<Record<Duty, string>>>>

/**
 * Every mutating verb of a folder that neglects a duty without an exemption, as a sentence each, and
 * every exemption that excuses nothing. A verb is an exported function that opens a unit of work of
 * its own, or writes outside one; what it calls in that folder counts as what it does.
 */
export async function checkVerbs(
  folder: string,
  exemptions: Exemptions,
): Promise<{ verbs: number; problems: string[] }> {
  const graph = await readCallGraph(folder)
  const verbs = graph.functions.filter((one) => one.isExported && writes(graph, one))
  const neglected = verbs.flatMap((verb) =>
    duties(graph, verb).map((duty) => ({ verb: verb.name, file: verb.file, duty })),
  )
  const excused = ({ verb, duty }: { verb: string; duty: Duty }): boolean =>
    Object.hasOwn(exemptions, verb) && exemptions[verb]?.[duty] !== undefined
  const idle = Object.entries(exemptions).flatMap(([verb, reasons]) =>
    Object.keys(reasons)
      .filter((duty) => !neglected.some((one) => one.verb === verb && one.duty === duty))
      .map((duty) => `${verb}: its exemption (${duty}) excuses nothing`),
  )
  const problems = neglected
    .filter((one) => !excused(one))
    .map(({ file, verb, duty }) => `${file}: ${verb} writes, and ${sentences[duty]}`)
  return { verbs: verbs.length, problems: [...problems, ...idle] }
}

const sentences: Readonly<Record<Duty, string>> = {
  caller: 'is not told who calls',
  authorise: 'does not authorise its caller',
  audit: 'leaves no trace in the audit',
}

function duties(graph: CallGraph, verb: DeclaredFunction): Duty[] {
  const neglected: Duty[] = []
  if (!verb.parameterTypes.includes('Caller')) neglected.push('caller')
  else if (!leadsTo(graph, verb, (call) => authorisers.has(call))) neglected.push('authorise')
  if (!leadsTo(graph, verb, (call) => call.endsWith('.audit'))) neglected.push('audit')
  return neglected
}

/** In its own file: a verb that calls a verb elsewhere is that one's caller, and is not counted again. */
function writes(graph: CallGraph, verb: DeclaredFunction): boolean {
  const own: CallGraph = {
    ...graph,
    resolve: (file, name) => {
      const found = graph.resolve(file, name)
      return found?.file === verb.file && !found.isExported ? found : undefined
    },
  }
  return leadsTo(own, verb, (call) => call === 'inUnitOfWork' || writingMethods.test(call))
}
