/** Workflow code of a deployment that went wrong: its workflow task fails whenever it is tried. */
export async function agentRun(): Promise<void> {
  throw new Error('this deployment is broken')
}
