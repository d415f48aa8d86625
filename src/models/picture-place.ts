import type { PictureType } from '../domain/picture-type.ts'
import type { ModelProvider } from '../policy/worker/model-name.ts'

/** Where a provider takes the pictures of tools' results, and of which types. */
export interface PicturePlace {
  /** `result`: in the result itself; `message`: in a message after the results; `nowhere`: results are text alone */
  readonly where: 'result' | 'message' | 'nowhere'
  readonly types: readonly PictureType[]
}

const common: readonly PictureType[] = ['image/png', 'image/jpeg', 'image/webp']

/** For a model that cannot see. */
export const noPictures: PicturePlace = { where: 'nowhere', types: [] }

/**
 * Chat completions have no pictures in results: servers of that format refuse them there, and many models behind them see
 * none at all. So theirs get text, unless whoever runs the server says that its model sees.
 */
export function picturePlaceOf(provider: ModelProvider, seesPictures: boolean): PicturePlace {
  switch (provider) {
    case 'anthropic':
    case 'openai':
      return { where: 'result', types: [...common, 'image/gif'] }
    case 'google':
      return { where: 'result', types: common }
    case 'openai-compatible':
      return seesPictures ? { where: 'message', types: common } : noPictures
  }
}
