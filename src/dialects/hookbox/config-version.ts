/** Version of the configuration format. The constant has its own file, because loading the schema takes long. */
export const CONFIG_VERSION = 1;
