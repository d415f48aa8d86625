import { setAndRestart } from '#domain/error-message.ts'
import type { LanguageModel } from 'ai'
import type { ModelProvider } from '#domain/model-provider.ts'
import { ModelProblem } from './model.ts'
import type { ProviderSettings } from './provider-settings.ts'

/**
 * The AI SDK's model for a provider's id; `name` is what the worker file calls it. A
 * provider's package is loaded when it is first used. Rejects with a `ModelProblem` that names the
 * variable when one is missing.
 */
export async function languageModel(
  provider: ModelProvider,
  id: string,
  name: string,
  settings: ProviderSettings,
): Promise<LanguageModel> {
  if (settings.missing !== null) {
    throw new ModelProblem(
      `The model ${name} needs the environment variable ${settings.missing}, which is not set: ${setAndRestart}.`,
      { isRetryable: false },
    )
  }
  const apiKey = settings.apiKey ?? ''
  const baseURL = settings.baseUrl === null ? {} : { baseURL: settings.baseUrl }
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey, fetch: fetchHere, ...baseURL })(id)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey, fetch: fetchHere, ...baseURL })(id)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ apiKey, fetch: fetchHere, ...baseURL })(id)
    }
    case 'azure': {
      const { createAzure } = await loadInstalled('@ai-sdk/azure', () => import('@ai-sdk/azure'))
      const { resourceName } = settings
      return createAzure({
        apiKey,
        fetch: fetchHere,
        ...baseURL,
        ...(resourceName === null ? {} : { resourceName }),
      })(id)
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await loadInstalled(
        '@ai-sdk/amazon-bedrock',
        () => import('@ai-sdk/amazon-bedrock'),
      )
      return createAmazonBedrock({ fetch: fetchHere, ...baseURL, ...awsOptions(settings) })(id)
    }
    case 'vertex': {
      const { createGoogleVertex } = await loadInstalled(
        '@ai-sdk/google-vertex',
        () => import('@ai-sdk/google-vertex'),
      )
      return createGoogleVertex({ fetch: fetchHere, ...baseURL, ...googleCloudOptions(settings) })(
        id,
      )
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: settings.baseUrl ?? '',
        fetch: fetchHere,
        // Without it a streamed answer has no usage.
        includeUsage: true,
        ...(settings.apiKey === null ? {} : { apiKey }),
      })(id)
    }
  }
}

/**
 * `fetch` that follows no redirect: most providers' keys are in headers that `fetch` would send to
 * any other host, with the transcript in the body.
 */
const fetchHere: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })

function awsOptions({ apiKey, aws }: ProviderSettings) {
  const region = aws.region === null ? {} : { region: aws.region }
  if (apiKey !== null) return { ...region, apiKey }
  return {
    ...region,
    accessKeyId: aws.accessKeyId ?? '',
    secretAccessKey: aws.secretAccessKey ?? '',
    ...(aws.sessionToken === null ? {} : { sessionToken: aws.sessionToken }),
  }
}

function googleCloudOptions({ apiKey, googleCloud }: ProviderSettings) {
  if (apiKey !== null) return { apiKey }
  const { project, location, credentialsFile } = googleCloud
  return {
    ...(project === null ? {} : { project }),
    ...(location === null ? {} : { location }),
    ...(credentialsFile === null ? {} : { googleAuthOptions: { keyFilename: credentialsFile } }),
  }
}

/**
 * Loads a package that the published service does not include. Rejects with a sentence that says
 * what to do.
 */
async function loadInstalled<Package>(
  name: string,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load()
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const sentence = `This provider needs the package ${name}: install it beside countersign (npm install ${name}).`
    throw new ModelProblem(sentence, { isRetryable: false })
  }
}
