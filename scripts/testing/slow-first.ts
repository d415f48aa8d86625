import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** It takes seven minutes: what begins after it fills the other cores. */
const longest = 'chaos.test.ts'

/**
 * The files of the project `slow` before the shorter ones of `processes`, so that no core is idle
 * at the end of a run. Other files are in vitest's own order.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own, of a copy
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => placeOf(left) - placeOf(right))
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  if (project.name !== 'slow') return 2
  return moduleId.endsWith(longest) ? 0 : 1
}
