/** The first steps with an installation, in this order. */
export const firstSteps = ['run', 'decision', 'agent', 'person'] as const
export type FirstStep = (typeof firstSteps)[number]
