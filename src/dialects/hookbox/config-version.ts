/** Version of the configuration format. In a file of its own, because the schema takes a while to load. */
export const CONFIG_VERSION = 1;
